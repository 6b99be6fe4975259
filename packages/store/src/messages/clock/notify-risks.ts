// Notes when a due payment is at risk, and notifies the webhooks that ask: once for each due date and cause, and once that the risk is
// over. A risk that comes back begins a new period in risk_notices, of which nobody is notified again.
import { RISK_LIFECYCLE_TYPES, renderDueRisk, type DueRisk, type Lifecycle } from '@payment-tracking/domain'
import { inline, runIn, sql, type ClientTx, type Store } from '../../core/database/sql.js'
import { readDueRisks } from '../../core/risk/due-risks.js'
import { listWatchedPolicies, type WatchedKey, type WatchedPage } from '../../core/risk/watched-policies.js'
import { IS_ACTIVE } from '../../core/tables/delivery-rows.js'
import { readLifecyclePolicies } from '../../core/tables/policy-rows.js'
import { isNotQuarantined } from '../../core/quarantine/isolate.js'
import type { NotifiedPage } from '../routing/notify-in-parts.js'
import { readWebhooksOf } from '../routing/notified-webhooks.js'
import {
  beginRisks,
  endRisks,
  markNotified,
  readPastPolicies,
  readRiskNotices,
  riskKeyOf,
  type RiskNotice,
} from './risk-notices.js'
import { messageOfLifecycle, ToldMessages } from '../routing/routed-messages.js'
import { notifyPages, type NotifyRound } from './notify-pages.js'

export interface RiskRound extends NotifyRound {
  programId: string
}

const [AT_RISK, CLEARED] = RISK_LIFECYCLE_TYPES
const POLICIES_AT_ONCE = 1_000

/**
 * Notifies of the risks that began and those that are over. Any number of processes may do so at once.
 *
 * Bounded: a statement looks at 1,000 watched policies, without locks;
 * a transaction notifies of at most `limit`.
 * @returns the number of risks that were notified
 */
export const notifyRisks = (store: Store, round: RiskRound): Promise<number> =>
  notifyPages(store, 'payment-risks', round, findChanged(store, round), (tx, held) =>
    notifyHeld(tx, held, round),
  )

async function* findChanged(store: Store, round: RiskRound): AsyncGenerator<string[]> {
  for (let after = ''; ;) {
    const open = await readOpenNotices(store, after)
    yield await findOver(store, open, round)
    // A page ends within the notices of one policy at most: the transaction reads them all.
    const last = open.at(-1)
    if (last === undefined) break
    after = last.policy
  }
  for (let after: WatchedKey | null = null; ;) {
    const { addresses, next }: WatchedPage = await listWatchedPolicies(store, after, POLICIES_AT_ONCE)
    yield await findBegun(store, addresses, round)
    if (next === null) return
    after = next
  }
}

interface OpenNotice {
  policy: string
  dueAt: bigint
  /** the next due date of the policy; null where the policy or its incarnation is gone */
  nowDueAt: bigint | null
  /** the policy was not quarantined */
  kept: boolean
}

/** Risks that are not over, a page by the policy. Relies on risk_notices_open. */
const readOpenNotices = ({ database }: Store, after: string): Promise<readonly OpenNotice[]> =>
  database.read<OpenNotice>(sql`
    select r.policy, r.due_at as "dueAt", p.due_at as "nowDueAt", ${isNotQuarantined('payment-risks', sql`r.policy`)} as kept
      from (select * from risk_notices r where r.cleared_at is null and r.policy > ${after}
             order by r.policy limit ${inline(POLICIES_AT_ONCE)}) r
      left join policies p on p.address = r.policy and p.incarnation_start = r.incarnation_start
     order by r.policy`)

/** The policies with a risk that is over. */
async function findOver(
  { database }: Store,
  open: readonly OpenNotice[],
  round: RiskRound,
): Promise<string[]> {
  const kept = open.filter(notice => notice.kept)
  const policies = [...new Set(kept.map(({ policy }) => policy))]
  const risks = await readDueRisks(database.read, policies, round.programId)
  const over = kept.filter(({ policy, dueAt, nowDueAt }) => isOver(risks.get(policy), dueAt, nowDueAt))
  return [...new Set(over.map(({ policy }) => policy))]
}

/** A risk is over when its date is, or when nothing is at risk any more. What is not known is not over. */
const isOver = (risk: DueRisk | undefined, noted: bigint, dueAt: bigint | null): boolean =>
  risk === undefined || dueAt !== noted || risk.state === 'ok'

/** Of these policies, those at a risk that is not noted, or that a webhook asks for and was not notified of. */
async function findBegun(store: Store, addresses: readonly string[], round: RiskRound): Promise<string[]> {
  if (addresses.length === 0) return []
  const { database } = store
  const rows = await database.read<{ address: string }>(sql`
    select p.address from policies p
     where p.address = any(${[...addresses]}::text[]) and ${isNotQuarantined('payment-risks', sql`p.address`)}`)
  const kept = rows.map(({ address }) => address)
  const risks = await readDueRisks(database.read, kept, round.programId)
  const atRisk = [...risks].filter(([, { state }]) => state === 'at_risk')
  if (atRisk.length === 0) return []
  const found = await database.read<{ address: string }>(sql`
    select p.address
      from unnest(${atRisk.map(([address]) => address)}::text[], ${atRisk.map(([, { cause }]) => cause)}::text[]) k (address, cause)
      join policies p on p.address = k.address collate "C"
     cross join lateral (
       select coalesce(bool_or(r.cleared_at is null), false) as is_open, coalesce(bool_or(r.notified), false) as notified
         from risk_notices r
        where r.policy = p.address and r.incarnation_start = p.incarnation_start and r.due_at = p.due_at
          and r.cause = k.cause) r
     where not r.is_open or not r.notified and exists (
       select from webhooks w where w.gateway = p.gateway and ${IS_ACTIVE} and ${AT_RISK} = any(w.event_types))`)
  return found.map(({ address }) => address)
}

/** Notifies of some policies. The caller has locked their rows (`notifyInParts`). */
async function notifyHeld(tx: ClientTx, held: readonly string[], round: RiskRound): Promise<NotifiedPage> {
  const dueAt = sql`p.due_at as "dueAt"`
  const rows = await readLifecyclePolicies<{ dueAt: bigint | null }>(tx, held, dueAt)
  const policies = new Map(rows.map(row => [row.address, row]))
  const risks = await readDueRisks(runIn(tx), held, round.programId)
  const stored = await readRiskNotices(tx, held)
  const open = stored.filter(notice => notice.open)
  const gateways = [...rows, ...open].map(({ gateway }) => gateway)
  const webhooksOf = await readWebhooksOf(tx, [...new Set(gateways)])
  const isAsked = (gateway: string) =>
    webhooksOf.get(gateway)!.some(({ active, eventTypes }) => active && eventTypes?.includes(AT_RISK))

  const [begun, asked]: [RiskNotice[], RiskNotice[]] = [[], []]
  for (const { address, incarnationStart, gateway, dueAt } of rows) {
    const risk = risks.get(address)
    if (risk?.state !== 'at_risk' || dueAt === null) continue
    const notice = { policy: address, incarnationStart, dueAt, cause: risk.cause!, gateway }
    const periods = stored.filter(each => riskKeyOf(each) === riskKeyOf(notice))
    const notified = isAsked(gateway) && !periods.some(period => period.notified)
    if (!periods.some(period => period.open)) begun.push({ ...notice, notified })
    else if (notified) asked.push({ ...notice, notified })
  }
  const presentOf = ({ policy, incarnationStart }: RiskNotice) => {
    const row = policies.get(policy)
    return row?.incarnationStart === incarnationStart ? row : undefined
  }
  const over = open.filter(notice => {
    const present = presentOf(notice)
    return present === undefined || isOver(risks.get(notice.policy), notice.dueAt, present.dueAt)
  })
  await endRisks(tx, over)
  await beginRisks(tx, begun)
  await markNotified(tx, asked)

  const ended = over.filter(notice => presentOf(notice) === undefined)
  const past = await readPastPolicies(tx, ended)
  const at = new Date().toISOString()
  const routed = new ToldMessages()
  let notified = 0
  const add = (type: Lifecycle['type'], notice: RiskNotice) => {
    const present = presentOf(notice)
    const policy = present ?? past.get(riskKeyOf(notice))
    if (policy === undefined) return
    const { dueAt, cause, gateway } = notice
    const message = messageOfLifecycle(policy, {
      type,
      key: `${dueAt} ${cause}`,
      at,
      dueAt,
      cause: null,
      dueRisk: renderDueRisk((present && risks.get(notice.policy)) ?? null),
      ...(type === CLEARED && { clearedCause: cause }),
    })
    // A feed holds a message once, of whichever period.
    routed.log(gateway, message)
    if (!notice.notified) return
    notified += 1
    // Nodes are asked for what is final.
    for (const webhook of webhooksOf.get(gateway) ?? []) routed.add(webhook, message, true)
  }
  for (const notice of over) add(CLEARED, notice)
  for (const notice of [...begun, ...asked]) add(AT_RISK, notice)
  return { deliveries: await routed.write(tx), notified }
}
