// Rows as one text for each key, so that two sets of them can be compared line by line.
import {
  createdBefore,
  isDeleted,
  isStatus,
  keyOfRow,
  labelOf,
  line,
  projectionsIn,
  projectionsOf,
  text,
  type Model,
  type Row,
} from '@payment-tracking/testkit/oracle'
import type { Table } from './columns.js'

/** A payment as the service shows it. */
export interface FoundPayment {
  key: string
  id: string
  name: string
  gateway: string
  amount: bigint
  /** ms since 1970 */
  at: number
  recipient: string | null
  payer: string | null
  tokenMint: string | null
  trackingId: string | null
  seq: number | null
  retracted: boolean
  isFinal: boolean
}

/**
 * @param of.valid leave out what the finalized chain does not hold
 * @param of.byArrival the keys of payments of which the order of arrival decides the tracking ID
 */
export function rowsOf(
  tables: Readonly<Record<Table, readonly Row[]>>,
  payments: readonly FoundPayment[],
  { valid = false, byArrival = new Set<string>() } = {},
) {
  const events = tables.events.filter(({ retracted }) => !(valid && retracted))
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
        .filter(({ retracted }) => !(valid && retracted))
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
    ...projectionsIn(tables),
  }
}

/** The rows that follow from the model. */
export const rowsOfModel = (model: Model) => ({
  ...projectionsOf(model),
  events: new Map(
    model.events.map(({ key, transactionIndex, index, at, retracted }) => [
      key,
      line({ transaction: transactionIndex, index, at, retracted }),
    ]),
  ),
  payments: new Map(
    model.payments.map(({ event, recipient, payer, tokenMint, trackingId, amount }) => [
      event.key,
      line({ recipient, payer, tokenMint, amount, isFinal: event.isFinal, trackingId }),
    ]),
  ),
})

/** The gateways of status changes and deletions, which name a policy alone. */
export const gatewaysIn = (events: readonly Row[]) =>
  new Map(
    events
      .filter(({ name }) => /Policy(?:StatusChanged|Deleted)$/.test(String(name)))
      .map(row => [keyOfRow(row), String(row.gateway)]),
  )

/** That of the policy's Created event at the change or before it, retracted ones too. */
export const gatewaysOf = ({ histories, created }: Model) =>
  new Map(
    [...histories].flatMap(([policy, history]) =>
      history
        .filter(event => isStatus(event) || isDeleted(event))
        .map(event => [
          event.key,
          text(createdBefore(created.get(policy) ?? [], event)?.data.gateway ?? null),
        ]),
    ),
  )

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
