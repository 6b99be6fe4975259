// Rows as one text for each key, so that two sets of them can be compared line by line.
import { NO_POLICY, labelOf } from './addresses.js'
import type { Row, Table } from './columns.js'
import type { FoundPayment } from './found.js'
import type { Model } from './model.js'

/** The tables that hold the answers of the service. */
export const COMPARED = [
  'events',
  'payments',
  'policies',
  'user_payments',
  'gateways',
  'event_counts',
  'payment_stats',
  'payment_token_stats',
] as const
export type Rows = Record<(typeof COMPARED)[number], Map<string, string>>

type Cell = string | number | bigint | boolean | null

/** Named cells as one line. */
const line = (cells: Readonly<Record<string, Cell>>): string =>
  Object.entries(cells)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? labelOf(value) : String(value)}`)
    .join(' ')

/** The key of an event's row: the same as of the model's event. */
export function keyOfRow({
  signature,
  slot,
  name,
  payment_policy: policy,
  record_id: record,
  event_index: index,
}: Row): string {
  const isRecord = name === 'PaymentRecord' && policy !== NO_POLICY
  return `${signature} ${slot} ${name} ${isRecord ? `${policy} ${record}` : index}`
}

/**
 * @param of.standing leave out what the finalized chain does not hold
 * @param of.byArrival the keys of payments of which the order of arrival decides the tracking ID
 */
export function rowsOf(
  tables: Readonly<Record<Table, readonly Row[]>>,
  payments: readonly FoundPayment[],
  { standing = false, byArrival = new Set<string>() } = {},
): Rows {
  const events = tables.events.filter(({ retracted }) => !(standing && retracted))
  const keyed = (table: Table, keys: readonly string[]): Map<string, string> =>
    new Map(
      tables[table].map(row => {
        const others = Object.entries(row).filter(([name]) => !keys.includes(name))
        return [keys.map(key => labelOf(String(row[key]))).join(' '), line(Object.fromEntries(others))]
      }),
    )
  return {
    events: new Map(
      events.map(row => [
        keyOfRow(row),
        line({
          transaction: row.transaction_index!,
          index: row.event_index!,
          at: row.at!,
          retracted: row.retracted!,
        }),
      ]),
    ),
    payments: new Map(
      payments
        .filter(({ retracted }) => !(standing && retracted))
        .map(({ key, recipient, payer, tokenMint, trackingId, amount, isFinal }) => [
          key,
          line({
            recipient,
            payer,
            tokenMint,
            amount,
            isFinal,
            trackingId: byArrival.has(key) ? 'by arrival' : trackingId,
          }),
        ]),
    ),
    policies: keyed('policies', ['address']),
    user_payments: keyed('user_payments', ['address']),
    gateways: keyed('gateways', ['address']),
    event_counts: keyed('event_counts', ['name', 'span', 'start']),
    payment_stats: keyed('payment_stats', ['gateway', 'span', 'start']),
    payment_token_stats: keyed('payment_token_stats', ['gateway', 'span', 'start', 'token_mint']),
  }
}

const labelled = (lines: readonly (readonly [string, string])[]) => new Map(lines)

/** The rows that follow from the model. The columns and their order are those of columns.ts. */
export function rowsOfModel(
  model: Model,
): Omit<Rows, 'event_counts' | 'payment_stats' | 'payment_token_stats'> {
  return {
    events: labelled(
      model.events.map(({ key, transactionIndex, index, at, retracted }) => [
        key,
        line({ transaction: transactionIndex, index, at, retracted }),
      ]),
    ),
    payments: labelled(
      model.payments.map(({ event, recipient, payer, tokenMint, trackingId, amount }) => [
        event.key,
        line({ recipient, payer, tokenMint, amount, isFinal: event.isFinal, trackingId }),
      ]),
    ),
    policies: labelled(
      [...model.policies].map(([address, policy]) => [
        labelOf(address),
        line({
          live: policy.live,
          family: policy.family,
          user_payment: policy.userPayment,
          gateway: policy.gateway,
          recipient: policy.recipient,
          tracking_id: policy.trackingId,
          policy_id: policy.policyId,
          created_at: policy.createdAt,
          updated_at: policy.updatedAt,
          payment_count: policy.paymentCount,
          total_paid: policy.totalPaid,
          status: policy.status,
          next_payment_due: policy.nextPaymentDue,
          due_at: policy.dueAt,
          ends_at: policy.endsAt,
          period_start: policy.periodStart,
          period_total: policy.periodTotal,
          token_mint: policy.inputMint,
        }),
      ]),
    ),
    user_payments: labelled(
      [...model.userPayments].map(([address, { live, owner, tokenMint }]) => [
        labelOf(address),
        line({ live, owner, token_mint: tokenMint }),
      ]),
    ),
    gateways: labelled(
      [...model.gateways].map(([address, { live, authority, signer }]) => [
        labelOf(address),
        line({ live, authority, signer }),
      ]),
    ),
  }
}

/** One line for each row that differs, is missing or should not be. */
export function differences(
  expected: Partial<Record<string, ReadonlyMap<string, string>>>,
  found: Partial<Record<string, ReadonlyMap<string, string>>>,
): string[] {
  return Object.entries(expected).flatMap(([table, rows]) => {
    const others = found[table]!
    const keys = [...new Set([...rows!.keys(), ...others.keys()])]
    return keys
      .filter(key => rows!.get(key) !== others.get(key))
      .map(key => {
        const shown = key.split(' ').map(labelOf).join(' ')
        return `${table} ${shown}\n    expected ${rows!.get(key) ?? 'no row'}\n    found    ${others.get(key) ?? 'no row'}`
      })
  })
}
