// A user payment that became known concerns all its policies. A batch looks at some; more of them become work.
import { empty, sql, type Sql, type Tx } from '../../core/database/sql.js'
import { OF_POLICY } from '../../core/tables/payment-names.js'
import type { WorkKind } from '../../core/tasks/under-writer-lock.js'
import { continueAt, policiesFor } from '../../core/tasks/work-table.js'
import { FROM_START } from './chain-positions.js'
import { addPolicyWork } from './policy-work.js'

/**
 * For each policy, whether it lacks what its user payment says: it has payments, which need an owner and a mint, or messages
 * about it wait for the mint. Relies on policies_user_payment_idx, and on two probes a policy. `order by` makes the probe of messages use
 * waiting_messages_policy.
 * @param page the condition and the limit by which policies `p` are looked at
 */
const lacking = (page: Sql): Sql => sql`
  select p.address, p.created_at, p.last_payment_order is not null
      or exists (select from events e where e.payment_policy = p.address and ${OF_POLICY})
      or (select true from waiting_messages w where w.policy = p.address and w.waits_for = 'details'
           order by coalesce(w.slot, 9007199254740991) limit 1) is not null as lacks
    from (select * from policies p where ${page}) p`

/**
 * The policies of some user payments that lack their owner and mint.
 * @param rows the most payments of one transaction; a policy costs as much as some of them
 * @returns null when one transaction cannot look at so many policies
 */
export async function readPoliciesOf(
  tx: Tx,
  userPayments: readonly string[],
  rows: number,
): Promise<string[] | null> {
  if (userPayments.length === 0) return []
  const most = policiesFor(rows)
  const found = await tx.$queryRaw<{ address: string; lacks: boolean }[]>(
    lacking(sql`p.user_payment = any(${[...userPayments]}::text[]) limit ${most + 1}`),
  )
  if (found.length > most) return null
  return found.filter(({ lacks }) => lacks).map(({ address }) => address)
}

/** Where a page of the policies of a user payment ends, in the order of policies_user_payment_idx. */
const afterKey = (cursor: string): Sql => {
  const [createdAt, address] = cursor.split(' ') as [string, string?]
  return address === undefined
    ? empty
    : sql`and (p.created_at, p.address) > (${BigInt(createdAt)}, ${address})`
}

/** Leaves the next policies of a user payment to work. One that is created anew meanwhile moves past the page. */
export const USER_PAYMENT: WorkKind<object> = {
  page: async (tx, [work], { head, rows }) => {
    const { key, cursor } = work!
    const limit = policiesFor(rows)
    const page = sql`p.user_payment = ${key} ${afterKey(cursor)} order by p.created_at, p.address limit ${limit}`
    const found = await tx.$queryRaw<{ address: string; lacks: boolean; created_at: bigint }[]>(sql`
      ${lacking(page)} order by p.created_at, p.address`)
    const remaining = found
      .filter(({ lacks }) => lacks)
      .map(({ address }) => ({ address, cursor: FROM_START }))
    addPolicyWork(tx, remaining, { position: head.position, isNotified: true })
    const last = found.length < limit ? undefined : found.at(-1)
    return continueAt(work!, last && `${last.created_at} ${last.address}`)
  },
}
