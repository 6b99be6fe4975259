// Policies whose due payments are watched: due within three days, or overdue. `next_funds_check_at` says when a policy is
// looked at next. It can be too early, because a payment moves the due date and leaves it, so that a payment writes no
// index; then a check moves it.
import { WATCHED_SECONDS } from '@payment-tracking/domain'
import { inline, sql, type Store } from '../database/sql.js'
import { isWaiting, isWatched, NOW } from './due-risks.js'

/** A key in the order of checks. */
export interface WatchedKey {
  at: bigint
  address: string
}

export interface WatchedPage {
  addresses: string[]
  /** null after the last policy */
  next: WatchedKey | null
}

/** As the reader of a cursor gets it; undefined for a text that is none. */
export function readWatchedKey(text: string): WatchedKey | undefined {
  const [, at, address] = /^(\d{1,18}) ([1-9A-HJ-NP-Za-km-z]{1,64})$/.exec(text) ?? []
  return at === undefined || address === undefined ? undefined : { at: BigInt(at), address }
}

export const writeWatchedKey = ({ at, address }: WatchedKey): string => `${at} ${address}`

/**
 * One page of watched policies, in the order of checks. Moves the checks of the others that it meets: each policy once for
 * each of its due dates. Relies on policies_next_funds_check. Rows that others have locked keep their time.
 * @param limit policies that one statement looks at
 */
export async function listWatchedPolicies(
  { database }: Store,
  after: WatchedKey | null,
  limit: number,
): Promise<WatchedPage> {
  const { at, address } = after ?? { at: -1n, address: '' }
  const rows = await database.read<WatchedKey & { watched: boolean }>(sql`
    select p.address, p.next_funds_check_at as at, ${isWaiting(sql`p`)} and ${isWatched(sql`p`)} as watched
      from (select * from policies p
             where p.next_funds_check_at <= ${NOW} and (p.next_funds_check_at, p.address) > (${at}, ${address})
             order by p.next_funds_check_at, p.address limit ${limit}) p
     order by p.next_funds_check_at, p.address`)
  const others = rows.filter(({ watched }) => !watched).map(row => row.address)
  if (others.length > 0) await moveChecks(database, others)
  const last = rows.at(-1)
  return {
    addresses: rows.filter(({ watched }) => watched).map(row => row.address),
    next: rows.length === limit && last ? { at: last.at, address: last.address } : null,
  }
}

/** A policy that waits for no payment is looked at again when ingest changes its dates or its status. SQL: skips locked rows. */
const moveChecks = (database: Store['database'], addresses: readonly string[]): Promise<number> =>
  database.execute(sql`
    update policies p
       set next_funds_check_at = case when ${isWaiting(sql`p`)} then p.due_at - ${inline(WATCHED_SECONDS)} end
     where p.address in (
       select address from policies where address = any(${[...addresses]}::text[])
        order by address for no key update skip locked)
       and not (${isWaiting(sql`p`)} and ${isWatched(sql`p`)})`)
