// Rows of risk_notices. A row is a period in which the payment of a due date is at risk for one cause; at most one period of a due
// date and cause is open.
import { lifecycleMessageId, RISK_LIFECYCLE_TYPES, type LifecyclePolicy } from '@payment-tracking/domain'
import { columnTable } from '../../core/database/columns.js'
import { sql, type ClientTx, type Tx } from '../../core/database/sql.js'

export interface RiskNotice {
  policy: string
  incarnationStart: string
  /** Unix seconds */
  dueAt: bigint
  cause: string
  /** at that time */
  gateway: string
  /** a webhook asked, and was notified of this period */
  notified: boolean
}

export interface StoredRiskNotice extends RiskNotice {
  open: boolean
}

/** What names the periods of one risk. */
export const riskKeyOf = (of: Omit<RiskNotice, 'gateway' | 'notified'>) =>
  `${of.policy} ${of.incarnationStart} ${of.dueAt} ${of.cause}`

/** Of policies: the open periods, and all of the present due dates. Relies on risk_notices_open and on the primary key. */
export const readRiskNotices = (tx: Tx, policies: readonly string[]): Promise<StoredRiskNotice[]> =>
  tx.$queryRaw<StoredRiskNotice[]>(sql`
    select r.policy, r.incarnation_start as "incarnationStart", r.due_at as "dueAt", r.cause, r.gateway, r.notified,
           r.cleared_at is null as open
      from (select * from risk_notices r where r.policy = any(${[...policies]}::text[]) and r.cleared_at is null
             union
            select r.* from policies p
              join risk_notices r
                on r.policy = p.address and r.incarnation_start = p.incarnation_start and r.due_at = p.due_at
             where p.address = any(${[...policies]}::text[])) r
     order by r.policy, r.due_at, r.cause, r.began_at`)

const NOTICES = columnTable<RiskNotice>('k', {
  policy: ['text', ({ policy }) => policy],
  incarnation_start: ['text', ({ incarnationStart }) => incarnationStart],
  due_at: ['bigint', ({ dueAt }) => dueAt],
  cause: ['text', ({ cause }) => cause],
})

const IS_SAME = sql`
  r.policy = k.policy collate "C" and r.incarnation_start = k.incarnation_start collate "C" and r.due_at = k.due_at
  and r.cause = k.cause collate "C"`

/**
 * Begins periods. Of the earlier ones of the same risk, the first stays and the notified one: a payer can make any number of
 * periods, and each would be a row. SQL: a list of keys of several columns.
 */
export async function beginRisks(tx: ClientTx, notices: readonly RiskNotice[]): Promise<void> {
  if (notices.length === 0) return
  await tx.$executeRaw(sql`
    delete from risk_notices r using ${NOTICES.listOf(notices)}
     where ${IS_SAME} and not r.notified and r.cleared_at is not null
       and exists (select from risk_notices e
                    where e.policy = r.policy and e.incarnation_start = r.incarnation_start and e.due_at = r.due_at
                      and e.cause = r.cause and e.began_at < r.began_at)`)
  await tx.riskNotice.createMany({ data: [...notices] })
}

/** Notes that webhooks are notified of open periods. SQL: a list of keys of several columns. */
export async function markNotified(tx: Tx, notices: readonly RiskNotice[]): Promise<void> {
  if (notices.length === 0) return
  await tx.$executeRaw(sql`
    update risk_notices r set notified = true from ${NOTICES.listOf(notices)} where ${IS_SAME} and r.cleared_at is null`)
}

/** Ends the open periods. SQL: the database's clock. */
export async function endRisks(tx: Tx, notices: readonly RiskNotice[]): Promise<void> {
  if (notices.length === 0) return
  await tx.$executeRaw(sql`
    update risk_notices r set cleared_at = clock_timestamp()
      from ${NOTICES.listOf(notices)} where ${IS_SAME} and r.cleared_at is null`)
}

interface ToldData extends Omit<
  LifecyclePolicy,
  'address' | 'incarnationStart' | 'paymentCount' | 'totalPaid' | 'nextPaymentDue'
> {
  paymentCount: number
  totalPaidString: string
  nextPaymentDue: number | null
}

/**
 * The policies of risks whose incarnation is over, as the log said when the risks began: the rows of these policies are gone, or
 * are of another incarnation. Relies on messages_message_key.
 * @returns by the key of the risk
 */
export async function readPastPolicies(
  tx: Tx,
  notices: readonly RiskNotice[],
): Promise<Map<string, LifecyclePolicy>> {
  if (notices.length === 0) return new Map()
  const messageIds = notices.map(({ policy: address, incarnationStart, dueAt, cause }) => {
    const begun = { type: RISK_LIFECYCLE_TYPES[0], key: `${dueAt} ${cause}` }
    return lifecycleMessageId({ address, incarnationStart }, begun)
  })
  const rows = await tx.$queryRaw<{ nth: number; body: string }[]>(sql`
    select k.nth::int as nth, m.body
      from unnest(${notices.map(({ gateway }) => gateway)}::text[], ${messageIds}::text[]) with ordinality k (gateway, id, nth)
      join messages m on m.message_id = k.id collate "C" and m.gateway = k.gateway collate "C"
                     and m.position is not null and m.type <> 'payment.executed'`)
  return new Map(
    rows.map(({ nth, body }) => {
      const notice = notices[nth - 1]!
      const { data } = JSON.parse(body) as { data: ToldData }
      const policy: LifecyclePolicy = {
        ...data,
        address: notice.policy,
        incarnationStart: notice.incarnationStart,
        // Nobody knows any more.
        status: null,
        paymentCount: BigInt(data.paymentCount),
        totalPaid: BigInt(data.totalPaidString),
        nextPaymentDue: data.nextPaymentDue === null ? null : BigInt(data.nextPaymentDue),
      }
      return [riskKeyOf(notice), policy]
    }),
  )
}
