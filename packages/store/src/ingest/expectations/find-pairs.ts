// Which expectations a payment may concern: those that expect it, and those that count it already.
import { inline, sql, type Sql, type Tx } from '../../core/database/sql.js'
import type { Pair } from './recount.js'

/** Expectations of one payment that one transaction looks at. Any number of gateways may expect the same. */
export const EXPECTATIONS_AT_ONCE = 100

/** Relies on expectations_expected and expected_payments_event. @param event with its details */
const concerned = (event: Sql, after: Sql, limit: number): Sql => sql`
  (select x.id from expectations x
    where x.tracking_id = ${event}.tracking_id and x.recipient = ${event}.recipient
      and x.token_mint = ${event}.token_mint and x.cancelled_at is null and x.id > ${after}
    order by x.id limit ${inline(limit)})
  union
  (select p.expectation_id from expected_payments p
    where p.event_id = ${event}.id and p.expectation_id > ${after}
    order by p.expectation_id limit ${inline(limit)})
  order by 1 limit ${inline(limit)}`

const NO_ID = sql`'00000000-0000-0000-0000-000000000000'::uuid`

export interface FoundPairs {
  pairs: Pair[]
  /** events that concern more expectations than were looked at */
  rest: string[]
}

/**
 * The pairs of some stored payments; ids of other events find nothing.
 * @param most pairs of all events together; an event whose pairs do not fit is in `rest`
 */
export async function findPairs(tx: Tx, eventIds: readonly string[], most: number): Promise<FoundPairs> {
  if (eventIds.length === 0) return { pairs: [], rest: [] }
  const found = await tx.$queryRaw<Pair[]>(sql`
    select c.id::text as "expectationId", e.id::text as "eventId"
      from unnest(${[...new Set(eventIds)]}::uuid[]) a (id)
     cross join lateral (select * from events where id = a.id and amount is not null limit 1) e
     cross join lateral (${concerned(sql`e`, NO_ID, EXPECTATIONS_AT_ONCE + 1)}) c
     where exists (select from expectations)`)
  const byEvent = new Map<string, Pair[]>()
  for (const pair of found) byEvent.set(pair.eventId, [...(byEvent.get(pair.eventId) ?? []), pair])
  const pairs: Pair[] = []
  const rest: string[] = []
  for (const [eventId, of] of byEvent)
    if (of.length > EXPECTATIONS_AT_ONCE || pairs.length + of.length > most) rest.push(eventId)
    else pairs.push(...of)
  return { pairs, rest }
}

/** The next pairs of one payment, in the order of the expectations. @param after an expectation; '' is the beginning */
export async function findNextPairs(
  tx: Tx,
  eventId: string,
  { after, limit }: { after: string; limit: number },
): Promise<Pair[]> {
  const from = after === '' ? NO_ID : sql`${after}::uuid`
  return tx.$queryRaw<Pair[]>(sql`
    select c.id::text as "expectationId", e.id::text as "eventId"
      from (select * from events where id = ${eventId}::uuid and amount is not null limit 1) e
     cross join lateral (${concerned(sql`e`, from, limit)}) c`)
}

/** Pairs that count, and are final now. Relies on expected_payments_not_final. */
export const findFinalPairs = (tx: Tx, finalizedSlot: bigint, limit: number): Promise<Pair[]> =>
  tx.$queryRaw<Pair[]>(sql`
    select expectation_id::text as "expectationId", event_id::text as "eventId" from expected_payments
     where not final and slot <= ${finalizedSlot} order by slot limit ${limit}`)
