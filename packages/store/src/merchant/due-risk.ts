// Whether a due payment will come follows from what the nodes see of token accounts (webhooks/notify-risks.ts notes it). This file is
// where customers read it.
import { lifecycleMessageId } from '@payment-tracking/domain'
import type { Store } from '../database/open-store.js'
import { raw, sql, type Sql } from '../database/sql.js'
import { asTimestamp } from '../reads/as-timestamp.js'
import type { TimelineEntry } from './timeline/entries.js'

/**
 * Whether the next payment of a policy `p` is at risk. Relies on risk_notices_open.
 * Readers: the state of a customer, and the filter by it.
 */
export const isAtRisk = (): Sql => sql`
  exists (select from risk_notices r where r.policy = p.address and r.cleared_at is null)`

/** Risks of one policy that are looked at: the newest. A due date has one for each cause. */
const MOST_RISKS = raw('50')

/**
 * When policies were at risk, and not any more: entries `at_risk` and `at_risk_cleared`, from one millisecond up to another.
 * Relies on the primary key of risk_notices.
 */
export async function readRisks(
  { database }: Pick<Store, 'database'>,
  policies: ReadonlyMap<string, { trackingId: string | null; tokenMint: string | null }>,
  { fromMs, toMs }: { fromMs: number; toMs: number },
): Promise<TimelineEntry[]> {
  if (policies.size === 0) return []
  const rows = await database.read<{
    policy: string
    incarnationStart: string
    dueAt: bigint
    cause: string
    atMs: number
    cleared: boolean
  }>(sql`
    select r.policy, r.incarnation_start as "incarnationStart", r.due_at as "dueAt", r.cause, c.cleared,
           floor(extract(epoch from c.at) * 1000)::float8 as "atMs"
      from unnest(${[...policies.keys()]}::text[]) k (policy)
     cross join lateral (
       select * from risk_notices r where r.policy = k.policy collate "C"
        order by r.incarnation_start desc, r.due_at desc limit ${MOST_RISKS}) r
     cross join lateral (values (r.began_at, false), (r.cleared_at, true)) c (at, cleared)
     where c.at >= ${asTimestamp(fromMs)} and c.at < ${asTimestamp(toMs)}`)
  return rows.map(({ policy, incarnationStart, dueAt, cause, atMs, cleared }) => {
    const { trackingId, tokenMint } = policies.get(policy)!
    const type = cleared ? 'subscription.at_risk_cleared' : 'subscription.at_risk'
    return {
      type: cleared ? 'at_risk_cleared' : 'at_risk',
      atMs,
      id: `${policy}-${dueAt}-${cause}${cleared ? '-cleared' : ''}`,
      eventId: null,
      signature: null,
      policyAddress: policy,
      trackingId,
      tokenMint,
      amount: null,
      dueAt,
      cause,
      messageId: lifecycleMessageId(
        { address: policy, incarnationStart },
        { type, key: `${dueAt} ${cause}` },
      ),
    }
  })
}
