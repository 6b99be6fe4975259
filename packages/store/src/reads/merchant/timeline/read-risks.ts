// The risks of a customer's due payments, as messages/clock/notify-risks.ts noted them: for the time line.
import { lifecycleMessageId } from '@payment-tracking/domain'
import { asTimestamp, raw, sql, type Store } from '../../../core/database/sql.js'
import { entryOf, type TimelineEntry } from './entries.js'

/** Periods at risk of one policy that are looked at: the newest. A due date has three for each cause. */
const MOST_RISKS = raw('50')

/**
 * When policies of a gateway were at risk, and not any more: entries `at_risk` and `at_risk_cleared`, from one millisecond up to
 * another. Only a period of which webhooks were notified has deliveries. Relies on the primary key of risk_notices.
 */
export async function readRisks(
  { database }: Pick<Store, 'database'>,
  policies: ReadonlyMap<string, { trackingId: string | null; tokenMint: string | null }>,
  { gateway, fromMs, toMs }: { gateway: string; fromMs: number; toMs: number },
): Promise<TimelineEntry[]> {
  if (policies.size === 0) return []
  const rows = await database.read<{
    policy: string
    incarnationStart: string
    dueAt: bigint
    cause: string
    beganMs: number
    notified: boolean
    atMs: number
    cleared: boolean
  }>(sql`
    select r.policy, r.incarnation_start as "incarnationStart", r.due_at as "dueAt", r.cause, r.notified, c.cleared,
           floor(extract(epoch from r.began_at) * 1000)::float8 as "beganMs",
           floor(extract(epoch from c.at) * 1000)::float8 as "atMs"
      from unnest(${[...policies.keys()]}::text[]) k (policy)
     cross join lateral (
       select * from risk_notices r where r.policy = k.policy collate "C" and r.gateway = ${gateway}
        order by r.incarnation_start desc, r.due_at desc, r.cause desc, r.began_at desc limit ${MOST_RISKS}) r
     cross join lateral (values (r.began_at, false), (r.cleared_at, true)) c (at, cleared)
     where c.at >= ${asTimestamp(fromMs)} and c.at < ${asTimestamp(toMs)}`)
  return rows.map(({ policy, incarnationStart, dueAt, cause, beganMs, notified, atMs, cleared }) => {
    const { trackingId, tokenMint } = policies.get(policy)!
    const type = cleared ? 'at_risk_cleared' : 'at_risk'
    const lifecycle = { type: `subscription.${type}` as const, key: `${dueAt} ${cause}` }
    const messageId = notified ? lifecycleMessageId({ address: policy, incarnationStart }, lifecycle) : null
    const id = `${policy}-${dueAt}-${cause}-${beganMs}${cleared ? '-cleared' : ''}`
    return entryOf({ type, atMs, id, policyAddress: policy, trackingId, tokenMint, dueAt, cause, messageId })
  })
}
