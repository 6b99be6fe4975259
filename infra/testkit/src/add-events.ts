import type { Pool } from './create-database.js'

/** A payment as ingest stores it, by SQL over its number. */
const PAYMENT = {
  id: 'gen_random_uuid()',
  slot: 'n',
  signature: `'s ' || n`,
  event_index: '1',
  name: `'PaymentRecord'`,
  data: `'{}'::json`,
  commitment: `'confirmed'`,
  occurred_at: 'to_timestamp(n)',
  fingerprint: 'gen_random_uuid()',
  stream_sequence: 'n',
  gateway: `'g'`,
  payment_policy: `'p'`,
  amount: '1',
  paid_at: '1',
  record_id: 'n',
}
let position = 0

/**
 * Adds an event for each number `n` from one to another.
 * @param over SQL over `n` for what differs from a payment; its parameters are `values`
 * @param from.table SQL of further tables that `over` names
 * @returns their ids
 */
export async function addEvents(
  pool: Pick<Pool, 'query'>,
  { first = 1, last, table = '' }: { first?: number; last: number; table?: string },
  over: Record<string, string>,
  values: unknown[] = [],
): Promise<string[]> {
  const columns = { ...PAYMENT, position: `${position} + row_number() over ()`, ...over }
  const { rows } = await pool.query<{ id: string }>(
    `insert into events (${Object.keys(columns).join()}) select ${Object.values(columns).join()}
       from generate_series(${first}::bigint, ${last}::bigint) n ${table} returning id`,
    values,
  )
  position += rows.length
  return rows.map(({ id }) => id)
}

/** Adds a payment with these columns. @returns its id */
export async function addEvent(pool: Pick<Pool, 'query'>, columns: Record<string, unknown>): Promise<string> {
  const over = Object.fromEntries(Object.keys(columns).map((name, at) => [name, `$${at + 1}`]))
  return (await addEvents(pool, { last: 1 }, over, Object.values(columns)))[0]!
}
