// Notes that a due payment is at risk, and that it is no more, and notifies the webhooks that ask. It stands in risk_notices: once
// for each due date and cause, and once that it is over.
import { RISK_LIFECYCLE_TYPES, renderDueRisk, type DueRisk, type Lifecycle } from '@payment-tracking/domain'
import { runIn } from '../database/database.js'
import type { Store } from '../database/open-store.js'
import { bigints, inline, sql, type Tx } from '../database/sql.js'
import { IS_ACTIVE } from '../rows/deliveries.js'
import {
  LIFECYCLE_COLUMNS,
  toLifecyclePolicy,
  WITH_USER_PAYMENT,
  type LifecycleRow,
} from '../rows/policies.js'
import { isNotSetAside } from '../set-aside/isolate.js'
import { noteForFeed } from '../database/feed-notes.js'
import { feedNoteOf, messageOfLifecycle, RoutedMessages } from './routed-messages.js'
import { notifyInParts, type NotifiedPage } from './notify-in-parts.js'
import { readWebhooksOf } from './notified-webhooks.js'
import { readDueRisks } from '../funds/due-risks.js'
import { listWatchedPolicies, type WatchedKey } from '../funds/watched-policies.js'

export interface RiskRound {
  programId: string
  /** policies in one transaction */
  limit: number
  /** called after each page; the round ends when it resolves with false */
  onPage?: (page: NotifiedPage) => Promise<boolean>
}

const [AT_RISK, CLEARED] = RISK_LIFECYCLE_TYPES
const LOOKED_AT_ONCE = 1_000
const IS_KEPT = isNotSetAside('payment-risks', sql`p.address`)

/**
 * Notifies of the risks that began and those that are over. Any number of processes may do so at once.
 *
 * Bounded: a statement looks at 1,000 watched policies, without locks;
 * a transaction notifies of at most `limit`.
 * @returns the number of risks that were notified
 */
export async function notifyRisks(store: Store, round: RiskRound): Promise<number> {
  const { onPage = () => Promise.resolve(true) } = round
  let notified = 0
  const notify = async (addresses: readonly string[]): Promise<boolean> => {
    const page = await notifyInParts(store, 'payment-risks', addresses, round.limit, (tx, held) =>
      notifyHeld(tx, held, round),
    )
    notified += page.notified
    return onPage(page)
  }
  for (let after = ''; ;) {
    const { open, next } = await readOpenNotices(store, after)
    const over = await findOver(store, open, round)
    if (!(await notify(over))) return notified
    if (next === null) break
    after = next
  }
  for (let after: WatchedKey | null = null; ;) {
    const { addresses, next } = await listWatchedPolicies(store, after, LOOKED_AT_ONCE)
    if (!(await notify(await findBegun(store, addresses, round)))) return notified
    if (next === null) return notified
    after = next
  }
}

/** Policies with a risk that is not over, a page by their address. Relies on risk_notices_open. */
async function readOpenNotices(
  { database }: Store,
  after: string,
): Promise<{ open: string[]; next: string | null }> {
  const rows = await database.read<{ policy: string }>(sql`
    select distinct r.policy from (
      select r.policy from risk_notices r where r.cleared_at is null and r.policy > ${after}
       order by r.policy limit ${inline(LOOKED_AT_ONCE)}) r
     order by r.policy`)
  const open = rows.map(({ policy }) => policy)
  // A page ends within the notices of one policy at most: the transaction reads them all.
  return { open, next: open.at(-1) ?? null }
}

/** Of these policies, those with a risk that is over. */
async function findOver(store: Store, open: readonly string[], round: RiskRound): Promise<string[]> {
  if (open.length === 0) return []
  const { database } = store
  const risks = await readDueRisks(database.read, open, round.programId)
  const rows = await database.read<{ address: string; dueAt: bigint; now: bigint | null }>(sql`
    select p.address, r.due_at as "dueAt", p.due_at as now
      from risk_notices r join policies p on p.address = r.policy
     where r.cleared_at is null and r.policy = any(${[...open]}::text[]) and ${IS_KEPT}`)
  const over = rows.filter(({ address, dueAt, now }) => isOver(risks.get(address), dueAt, now))
  return [...new Set(over.map(({ address }) => address))]
}

/** A risk is over when its date is, or when nothing is at risk any more. What is not known is not over. */
const isOver = (risk: DueRisk | undefined, notified: bigint, dueAt: bigint | null): boolean =>
  risk === undefined || dueAt !== notified || risk.state === 'ok'

/** Of these policies, those at a risk that is not noted, or that a webhook asks for and was not notified of. */
async function findBegun(store: Store, addresses: readonly string[], round: RiskRound): Promise<string[]> {
  if (addresses.length === 0) return []
  const { database } = store
  const kept = await database.read<{ address: string }>(sql`
    select p.address from policies p where p.address = any(${[...addresses]}::text[]) and ${IS_KEPT}`)
  const risks = await readDueRisks(
    database.read,
    kept.map(({ address }) => address),
    round.programId,
  )
  const atRisk = [...risks].filter(([, { state }]) => state === 'at_risk')
  if (atRisk.length === 0) return []
  const found = await database.read<{ address: string }>(sql`
    select p.address
      from unnest(${atRisk.map(([address]) => address)}::text[], ${atRisk.map(([, { cause }]) => cause)}::text[]) k (address, cause)
      join policies p on p.address = k.address collate "C"
     where not exists (
       select from risk_notices r
        where r.policy = p.address and r.incarnation_start = p.incarnation_start and r.due_at = p.due_at
          and r.cause = k.cause
          and (r.notified or not exists (
            select from webhooks w where w.gateway = p.gateway and ${IS_ACTIVE} and ${AT_RISK} = any(w.event_types))))`)
  return found.map(({ address }) => address)
}

interface RiskRow extends LifecycleRow {
  live: boolean
  dueAt: bigint | null
}

interface Notice {
  policy: string
  incarnationStart: string
  dueAt: bigint
  cause: string
  /** a webhook asks for it, or asked */
  notified: boolean
}

/** Notifies of some policies. The caller has locked their rows (`notifyInParts`). */
async function notifyHeld(tx: Tx, held: readonly string[], round: RiskRound): Promise<NotifiedPage> {
  const policies = await tx.$queryRaw<RiskRow[]>(sql`
    select ${LIFECYCLE_COLUMNS}, p.live, p.due_at as "dueAt"
      from policies p ${WITH_USER_PAYMENT}
     where p.address = any(${[...held]}::text[]) and p.incarnation_start is not null and p.gateway is not null
     order by p.address`)
  const risks = await readDueRisks(runIn(tx), held, round.programId)
  const webhooksOf = await readWebhooksOf(tx, [...new Set(policies.map(({ gateway }) => gateway))])
  const asks = (gateway: string) =>
    (webhooksOf.get(gateway) ?? []).some(({ active, eventTypes }) => active && eventTypes?.includes(AT_RISK))
  const begun = await insertNotices(
    tx,
    policies.flatMap(({ address, incarnationStart, gateway, dueAt }) => {
      const risk = risks.get(address)
      if (risk?.state !== 'at_risk' || dueAt === null) return []
      return [{ policy: address, incarnationStart, dueAt, cause: risk.cause!, notified: asks(gateway) }]
    }),
  )
  const over = await closeNotices(tx, policies, risks)
  const byAddress = new Map(policies.map(policy => [policy.address, policy]))
  const at = new Date().toISOString()
  const routed = new RoutedMessages()
  let notified = 0
  const add = (notice: Notice, type: Lifecycle['type']) => {
    const { policy: address, incarnationStart, dueAt, cause } = notice
    const policy = byAddress.get(address)
    // A later life of the address can belong to another gateway: the end of the earlier one was notified.
    if (policy === undefined || policy.incarnationStart !== incarnationStart) return
    const { live: _live, dueAt: _dueAt, ...row } = policy
    const lifecycle: Lifecycle = {
      type,
      key: `${dueAt} ${cause}`,
      at,
      dueAt,
      cause: null,
      dueRisk: renderDueRisk(risks.get(address) ?? null),
      ...(type === CLEARED && { clearedCause: cause }),
    }
    const message = messageOfLifecycle(toLifecyclePolicy(row), lifecycle)
    noteForFeed(tx, feedNoteOf(policy.gateway, message))
    if (!notice.notified) return
    notified += 1
    // Nodes are asked for what is final.
    for (const webhook of webhooksOf.get(policy.gateway) ?? []) routed.add(webhook, message, true)
  }
  for (const notice of over) add(notice, CLEARED)
  for (const notice of begun) add(notice, AT_RISK)
  return { deliveries: await routed.write(tx), notified }
}

const RETURNED = sql`policy, incarnation_start as "incarnationStart", due_at as "dueAt", cause, notified`

/** @returns those that were not noted before, or not notified */
async function insertNotices(tx: Tx, notices: readonly Notice[]): Promise<Notice[]> {
  if (notices.length === 0) return []
  return tx.$queryRaw<Notice[]>(sql`
    insert into risk_notices as r (policy, incarnation_start, due_at, cause, notified)
    select * from unnest(
      ${notices.map(({ policy }) => policy)}::text[], ${notices.map(each => each.incarnationStart)}::text[],
      ${bigints(notices.map(({ dueAt }) => dueAt))}, ${notices.map(({ cause }) => cause)}::text[],
      ${notices.map(({ notified }) => notified)}::boolean[])
    on conflict (policy, incarnation_start, due_at, cause) do update set notified = true
      where not r.notified and excluded.notified
    returning ${RETURNED}`)
}

/** @returns the notices that are over now */
async function closeNotices(
  tx: Tx,
  policies: readonly RiskRow[],
  risks: ReadonlyMap<string, DueRisk>,
): Promise<Notice[]> {
  const addresses = policies.map(({ address }) => address)
  const open = await tx.$queryRaw<Notice[]>(sql`
    select ${RETURNED} from risk_notices
     where cleared_at is null and policy = any(${addresses}::text[]) order by policy, due_at, cause for update`)
  const byAddress = new Map(policies.map(policy => [policy.address, policy]))
  const over = open.filter(({ policy: address, incarnationStart, dueAt }) => {
    const policy = byAddress.get(address)!
    return policy.incarnationStart !== incarnationStart || isOver(risks.get(address), dueAt, policy.dueAt)
  })
  if (over.length === 0) return []
  await tx.$executeRaw(sql`
    update risk_notices r set cleared_at = clock_timestamp()
      from unnest(
        ${over.map(({ policy }) => policy)}::text[], ${over.map(each => each.incarnationStart)}::text[],
        ${bigints(over.map(({ dueAt }) => dueAt))}, ${over.map(({ cause }) => cause)}::text[])
        k (policy, incarnation_start, due_at, cause)
     where r.policy = k.policy collate "C" and r.incarnation_start = k.incarnation_start collate "C"
       and r.due_at = k.due_at and r.cause = k.cause collate "C"`)
  return over
}
