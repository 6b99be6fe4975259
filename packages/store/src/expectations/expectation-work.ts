// The pages of work on expected payments: what is too much for the transaction that causes it.
import { sql, type Tx } from '../database/sql.js'
import type { WorkKind } from '../work/run-page.js'
import { goOn } from '../work/work-table.js'
import { findFinalPairs, findNextPairs } from './find-pairs.js'
import { recount } from './recount.js'
import { NO_NEWS, type ExpectedNews } from './settle.js'

interface ExpectationPage {
  news: ExpectedNews
  /** where the next page begins; null after the last page */
  next: string | null
}

interface PageOf {
  /** '' is the beginning */
  cursor: string
  limit: number
  finalizedSlot: bigint
}

/**
 * Counts the next stored payments of an expectation: looks at those of its tracking ID in the order of `seq`, by
 * events_tracking_seq. The caller holds the writer lock. After the last page the gateway is notified of the state.
 * @param id of the expectation
 */
export async function countStored(
  tx: Tx,
  id: string,
  { cursor, limit, finalizedSlot }: PageOf,
): Promise<ExpectationPage> {
  const rows = await tx.$queryRaw<{ id: string; seq: bigint; matches: boolean }[]>(sql`
    select e.id::text as id, e.seq, e.recipient = x.recipient and e.token_mint = x.token_mint as matches
      from (select * from expectations where id = ${id}::uuid limit 1) x
     cross join lateral (
       select * from events e where e.tracking_id = x.tracking_id and e.seq > ${BigInt(cursor || '0')}
        order by e.seq limit ${limit}) e
     order by e.seq`)
  const pairs = rows.filter(({ matches }) => matches).map(row => ({ expectationId: id, eventId: row.id }))
  const isLast = rows.length < limit
  const news = await recount(tx, pairs, { finalizedSlot, counted: isLast ? id : undefined })
  return { news, next: isLast ? null : String(rows.at(-1)!.seq) }
}

/** Counts one payment for the next expectations that it concerns. @param eventId of the payment */
async function countForNext(
  tx: Tx,
  eventId: string,
  { cursor, limit, finalizedSlot }: PageOf,
): Promise<ExpectationPage> {
  const pairs = await findNextPairs(tx, eventId, { after: cursor, limit })
  const news = await recount(tx, pairs, { finalizedSlot })
  return { news, next: pairs.length < limit ? null : pairs.at(-1)!.expectationId }
}

/** Notes of the next counted payments that they are final. What is noted leaves the index, so every page is the first. */
async function noteFinal(tx: Tx, _key: string, { limit, finalizedSlot }: PageOf): Promise<ExpectationPage> {
  const pairs = await findFinalPairs(tx, finalizedSlot, limit)
  if (pairs.length === 0) return { news: NO_NEWS, next: null }
  return { news: await recount(tx, pairs, { finalizedSlot }), next: pairs.length < limit ? null : '' }
}

/** What a page of work found of expected payments. */
export interface ExpectedPage {
  expected?: ExpectedNews
}

const doing = (page: typeof countStored): WorkKind<ExpectedPage> => ({
  page: async (tx, [work], { head: { finalizedSlot }, rows }) => {
    const { news, next } = await page(tx, work!.key, { cursor: work!.cursor, limit: rows, finalizedSlot })
    return { ...goOn(work!, next), expected: news }
  },
})

/** `key` is the expectation whose stored payments are counted, `cursor` a `seq`. */
export const EXPECTATION = doing(countStored)
/** `key` is a payment that is counted for more expectations than a batch does. */
export const EXPECTED_PAYMENT = doing(countForNext)
/** Notes which counted payments are final now. */
export const EXPECTED_FINALITY = doing(noteFinal)
