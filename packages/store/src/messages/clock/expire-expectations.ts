// Time passes: what was not paid until `expiresAt` expires. And gateways cancel (cancel-expectation.ts). No payment reports either.
import { inline, PAGE_LIMITS, sql, type Store } from '../../core/database/sql.js'
import { isNotQuarantined, isolate } from '../../core/quarantine/isolate.js'
import { EXPECTATION_COLUMNS, type ExpectationRow } from '../../core/tables/expectations.js'
import { NO_CHANGES, applyStates, unmoved, type ExpectationChanges } from '../expectations/apply-states.js'

interface CheckKey {
  at: Date
  id: string
}

export interface ExpiryRound {
  /** expectations in one transaction */
  limit: number
  /** called after each page; the round ends when it resolves with false */
  onPage: (page: ExpectationChanges) => Promise<boolean>
}

const IS_KEPT = isNotQuarantined('expectations', sql`x.id::text`)

/**
 * Writes and notifies of what has expired or was cancelled, in pages by expectations_next_check. Any number of processes may do so at once: rows that
 * another transaction has locked are passed over, and found by the next round. Only Postgres' clock decides.
 * @returns how many were looked at
 */
export async function expireExpectations(store: Store, { limit, onPage }: ExpiryRound): Promise<number> {
  let checked = 0
  for (let after: CheckKey = { at: new Date(0), id: '00000000-0000-0000-0000-000000000000' }; ;) {
    const found: readonly CheckKey[] = await store.database.read<CheckKey>(sql`
      select x.next_check_at as at, x.id::text as id from expectations x
       where x.next_check_at < statement_timestamp() and ${IS_KEPT}
         and (x.next_check_at, x.id) > (${after.at.toISOString()}::timestamptz, ${after.id}::uuid)
       order by x.next_check_at, x.id limit ${inline(limit)}`)
    const ids = found.map(({ id }) => id)
    for (const page of await isolate(store, 'expectations', ids, some => expire(store, some)))
      if (!(await onPage(page))) return checked
    checked += found.length
    if (found.length < limit) return checked
    after = found.at(-1)!
  }
}

const expire = ({ database }: Store, ids: readonly string[]): Promise<ExpectationChanges> =>
  database.transaction(async tx => {
    const rows = await tx.$queryRaw<ExpectationRow[]>(sql`
      select ${EXPECTATION_COLUMNS} from expectations x
       where x.id = any(${[...ids]}::uuid[]) and x.next_check_at is not null
       order by x.id for no key update skip locked`)
    if (rows.length === 0) return NO_CHANGES
    return applyStates(tx, rows.map(unmoved), { writer: 'scheduler', now: rows[0]!.now, position: null })
  }, PAGE_LIMITS)
