// Expectations as their gateway, and everybody who knows an id, reads them.
import { EXPECTATION_STATES, type ExpectationRecord, type ExpectationState } from '@payment-tracking/domain'
import { allOf, inline, sql, type Sql, type Store } from '../../core/database/sql.js'
import { EXPECTATION_CURSOR } from '../cursors.js'
import { readExpectations, type ReadExpectation } from '../../core/tables/expectations.js'

export interface ExpectationFilter {
  state?: ExpectationState | undefined
  trackingId?: string | undefined
  limit: number
  /** `next` of the page before */
  cursor?: string | undefined
}

export interface ExpectationList {
  items: ExpectationRecord[]
  /** null on the last page */
  next: string | null
}

const IS_CANCELLED = sql`x.cancelled_at is not null`
const HAS_PASSED = sql`(x.state in ('open', 'underpaid') and x.expires_at is not null
  and x.expires_at < statement_timestamp())`

/** The rows of a state: by their written states, and what else must hold. What was cancelled or has expired is so before it is written. */
const FOUND_BY: Record<ExpectationState, readonly [written: readonly ExpectationState[], also: Sql]> = {
  open: [['open'], sql`not ${IS_CANCELLED} and not ${HAS_PASSED}`],
  underpaid: [['underpaid'], sql`not ${IS_CANCELLED} and not ${HAS_PASSED}`],
  paid: [['paid'], sql`true`],
  overpaid: [['overpaid'], sql`true`],
  expired: [
    ['expired', 'open', 'underpaid'],
    sql`not ${IS_CANCELLED} and (x.state = 'expired' or ${HAS_PASSED})`,
  ],
  cancelled: [['cancelled'], sql`true`],
}
const IS_BEING_CANCELLED = sql`x.cancelled_at is not null and x.state <> 'cancelled'`

/**
 * A gateway's expectations, newest first. Relies on expectations_tracking, or a range of expectations_state for each written
 * state: beside another index in this order, Postgres would look for a rare state among all. And on expectations_cancelling.
 * @returns null for a text that is no cursor of this list
 */
export async function listExpectations(
  { database }: Store,
  gateway: string,
  { state, trackingId, limit, cursor }: ExpectationFilter,
): Promise<ExpectationList | null> {
  const after = cursor === undefined ? undefined : EXPECTATION_CURSOR.read(cursor)
  if (after === null) return null
  const conditions = [sql`x.gateway = ${gateway}`]
  if (trackingId !== undefined) conditions.push(sql`x.tracking_id = ${trackingId}`)
  if (after)
    conditions.push(
      sql`(x.created_at, x.id) < (${after.createdAt.toISOString()}::timestamptz, ${after.id}::uuid)`,
    )
  const newest = sql`order by x.created_at desc, x.id desc limit ${inline(limit + 1)}`
  const page = (ofState: Sql): Sql =>
    sql`select x.id, x.created_at from expectations x where ${allOf([...conditions, ofState])} ${newest}`
  const ofStates = (states: readonly ExpectationState[], also: Sql): Sql => sql`
    select x.id, x.created_at from unnest(${[...states]}::text[]) s (state)
     cross join lateral (${page(sql`x.state = s.state and ${also}`)}) x`
  const ofState = (of: ExpectationState): Sql =>
    of === 'cancelled'
      ? sql`${ofStates(...FOUND_BY.cancelled)} union all (${page(IS_BEING_CANCELLED)})`
      : ofStates(...FOUND_BY[of])
  const ids =
    state !== undefined
      ? ofState(state)
      : trackingId !== undefined
        ? page(sql`true`)
        : ofStates(EXPECTATION_STATES, sql`true`)
  const found = await readExpectations(
    database.read,
    sql`where x.id = any(array(select x.id from (${ids}) x ${newest})) order by x.created_at desc, x.id desc`,
  )
  const items = found.slice(0, limit).map(({ record }) => record)
  const last = items.at(-1)
  const next = found.length > limit ? { createdAt: new Date(last!.createdAt), id: last!.id } : null
  return { items, next: next && EXPECTATION_CURSOR.write(next) }
}

/** @param gateway only one of this gateway. @returns null where there is none */
export async function readExpectation(
  { database }: Store,
  id: string,
  gateway?: string,
): Promise<ReadExpectation | null> {
  const ofGateway = gateway === undefined ? sql`true` : sql`x.gateway = ${gateway}`
  const [found] = await readExpectations(database.read, sql`where x.id = ${id}::uuid and ${ofGateway}`)
  return found ?? null
}

/** Those of some ids that exist: for pods, which watch what their clients follow. */
export const readExpectationsById = (
  { database }: Store,
  ids: readonly string[],
): Promise<ReadExpectation[]> =>
  ids.length === 0
    ? Promise.resolve([])
    : readExpectations(database.read, sql`where x.id = any(${[...ids]}::uuid[])`)
