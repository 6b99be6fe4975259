// The pages of work on expected payments: what a request leaves, and what is too much for the transaction that causes it.
import { bigints, sql, type Tx } from '../../core/database/sql.js'
import type { WorkKind } from '../../core/tasks/under-writer-lock.js'
import { continueAt, policiesFor, type Work, type WorkPage } from '../../core/tasks/work-table.js'
import { findFinalPairs, findNextPairs } from './find-pairs.js'
import { recount, type Pair } from './recount.js'
import { NO_CHANGES, type ExpectationChanges } from '../../messages/expectations/apply-states.js'

/** What a page of work found of expected payments. */
export interface ExpectedPage {
  expected: ExpectationChanges
}

/**
 * Counts the stored payments of new expectations of a gateway. `key` is an expectation, `cursor` the `seq` up to which its tracking
 * ID's payments are counted. From the first page on, batches count the payments that they store: a page has the writer lock, so
 * each payment is either stored before the page, and counted here, or after it.
 *
 * A page reads at most `rows` payments, by events_tracking_seq, whatever is stored of the tracking IDs. After its last page the
 * gateway is notified of the state.
 */
export const EXPECTATION: WorkKind<ExpectedPage> = {
  together: policiesFor,
  page: async (tx, works, { head, rows }) => {
    const heads = await readHeads(tx, works)
    const counted: Counted[] = []
    let remaining = rows
    for (const work of works) {
      const from = BigInt(work.cursor || '0')
      const to = heads.get(work.key) ?? from
      const upTo = from + BigInt(remaining) < to ? from + BigInt(remaining) : to
      counted.push({ work, from, upTo, isLast: upTo === to })
      remaining -= Number(upTo - from)
      if (remaining === 0) break
    }
    const pairs = await readPairsBetween(tx, counted)
    const done = counted.filter(({ isLast }) => isLast).map(({ work }) => work)
    const expected = await recount(tx, pairs, { ...head, counted: done.map(({ key }) => key) })
    const [next] = counted.filter(({ isLast }) => !isLast)
    const leaves: WorkPage = { done, continued: next && { ...next.work, cursor: next.upTo.toString() } }
    return { ...leaves, expected }
  },
}

/** The payments of a tracking ID that a page reads for an expectation. */
interface Counted {
  work: Work
  from: bigint
  upTo: bigint
  isLast: boolean
}

/**
 * The heads of the tracking IDs of expectations, which batches look at from now on. SQL: a model upserts one row in a
 * statement.
 */
async function readHeads(tx: Tx, works: readonly Work[]): Promise<Map<string, bigint>> {
  const rows = await tx.$queryRaw<{ id: string; head: bigint }[]>(sql`
    with wanted as (
      select id, tracking_id from expectations where id = any(${works.map(({ key }) => key)}::uuid[])
    ), heads as (
      insert into trackings (tracking_id, head, expected) select distinct tracking_id, 0, true from wanted
      on conflict (tracking_id) do update set expected = true
      returning tracking_id, head
    )
    select w.id::text as id, h.head from wanted w join heads h on h.tracking_id = w.tracking_id`)
  return new Map(rows.map(({ id, head }) => [id, head]))
}

/** The payments that are what is expected. */
async function readPairsBetween(tx: Tx, counted: readonly Counted[]): Promise<Pair[]> {
  const some = counted.filter(({ from, upTo }) => upTo > from)
  if (some.length === 0) return []
  return tx.$queryRaw<Pair[]>(sql`
    select x.id::text as "expectationId", e.id::text as "eventId"
      from unnest(${some.map(({ work }) => work.key)}::uuid[], ${bigints(some.map(({ from }) => from))},
                  ${bigints(some.map(({ upTo }) => upTo))}) as k (id, after, up_to)
     cross join lateral (select * from expectations where id = k.id limit 1) x
     cross join lateral (
       select * from events where tracking_id = x.tracking_id and seq > k.after and seq <= k.up_to order by seq) e
     where e.recipient = x.recipient and e.token_mint = x.token_mint`)
}

/** `key` is a payment that is counted for more expectations than a batch does; `cursor` is the last expectation. */
export const EXPECTED_PAYMENT: WorkKind<ExpectedPage> = {
  page: async (tx, [work], { head, rows: limit }) => {
    const pairs = await findNextPairs(tx, work!.key, { after: work!.cursor, limit })
    const next = pairs.length < limit ? null : pairs.at(-1)!.expectationId
    return { ...continueAt(work!, next), expected: await recount(tx, pairs, head) }
  },
}

/** Notes which counted payments are final now. What is noted leaves the index, so every page is the first. */
export const EXPECTED_FINALITY: WorkKind<ExpectedPage> = {
  page: async (tx, [work], { head, rows: limit }) => {
    const pairs = await findFinalPairs(tx, head.finalizedSlot, limit)
    const expected = pairs.length === 0 ? NO_CHANGES : await recount(tx, pairs, head)
    return { ...continueAt(work!, pairs.length < limit ? null : ''), expected }
  },
}
