// The rows of projections and figures, as one text for each key: those that a database holds, and those that follow from the
// model. Two sets of them can be compared line by line. Only here does the oracle name a column.
import { labelOf, NO_POLICY } from './labels.js'
import type { Model } from './model.js'
import type { ModelPolicy } from './policy.js'
import { sumsOf } from './sums.js'

/** Whether the latest Created of an address came after every Deleted. */
const LIVE = `(incarnation_start is not null and (deleted_order is null or incarnation_start > deleted_order)) as live`
/** Slot, transaction and index: an order without the event's id. */
const POSITION = 32
/** Figures that are read. */
const IN_USE = `version = (select figures_version from stream_head) and count > 0`
const KEY_OF_FIGURE = `gateway, span, extract(epoch from start)::bigint as start`

const OF_POLICY = [
  ...['live', 'family', 'user_payment', 'gateway', 'recipient', 'tracking_id', 'policy_id', 'created_at'],
  ...['updated_at', 'payment_count', 'total_paid', 'status', 'next_payment_due', 'due_at', 'ends_at'],
  ...['period_start', 'period_total', 'token_mint'],
]
const camelCase = (name: string) =>
  name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()) as keyof ModelPolicy

export const PROJECTIONS = {
  policies: `select address, ${OF_POLICY.join()} from policies where incarnation_start is not null`,
  user_payments: `select address, ${LIVE}, owner, token_mint from user_payments where incarnation_start is not null`,
  gateways: `
    select address, ${LIVE}, authority,
           case when left(signer_order, ${POSITION}) >= left(incarnation_start, ${POSITION}) then signer else authority end as signer
      from gateways where incarnation_start is not null`,
  event_counts: `
    select ${KEY_OF_FIGURE}, name, count from event_counts where ${IN_USE}`,
  payment_token_stats: `
    select ${KEY_OF_FIGURE}, token_mint, count, total, min, max from payment_token_stats where ${IN_USE}`,
} as const

export type Projection = keyof typeof PROJECTIONS
export type Rows = Record<Projection, Map<string, string>>

const KEYS: Record<Projection, readonly string[]> = {
  policies: ['address'],
  user_payments: ['address'],
  gateways: ['address'],
  event_counts: ['gateway', 'span', 'start', 'name'],
  payment_token_stats: ['gateway', 'span', 'start', 'token_mint'],
}

/** A row as Postgres writes it: texts, numbers, true, false and null. */
export type Row = Readonly<Record<string, string | number | boolean | null>>

/** The key of a row of `events`: the same as of the model's event. */
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

type Cell = string | number | bigint | boolean | null

/** Named cells as one line. */
export const line = (cells: Readonly<Record<string, Cell>>): string =>
  Object.entries(cells)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? labelOf(value) : String(value)}`)
    .join(' ')

/** What a database holds. */
export const projectionsIn = (tables: Readonly<Record<Projection, readonly Row[]>>): Rows =>
  mapTables(table => {
    const keys = KEYS[table]
    return new Map(
      tables[table].map(row => [
        keys.map(key => labelOf(String(row[key]))).join(' '),
        line(Object.fromEntries(Object.entries(row).filter(([name]) => !keys.includes(name)))),
      ]),
    )
  })

const mapTables = (read: (table: Projection) => Map<string, string>): Rows =>
  Object.fromEntries((Object.keys(PROJECTIONS) as Projection[]).map(table => [table, read(table)])) as Rows

/** What follows from the model. The columns and their order are those of `PROJECTIONS`. */
export function projectionsOf(model: Model): Rows {
  const lines = <Of>(map: ReadonlyMap<string, Of>, show: (value: Of) => string) =>
    new Map([...map].map(([address, value]) => [labelOf(address), show(value)]))
  return {
    policies: lines(model.policies, policy =>
      line(Object.fromEntries(OF_POLICY.map(name => [name, policy[camelCase(name)]]))),
    ),
    user_payments: lines(model.userPayments, ({ live, owner, tokenMint }) =>
      line({ live, owner, token_mint: tokenMint }),
    ),
    gateways: lines(model.gateways, ({ live, authority, signer }) => line({ live, authority, signer })),
    ...sumsOf(
      model.events.filter(({ retracted }) => !retracted),
      model.payments
        .filter(({ event }) => !event.retracted)
        .map(({ event: { name, at }, ...facts }) => ({ name, at, ...facts })),
    ),
  }
}
