// Changes of policies by time alone: a due date comes near or passes unpaid, a policy expires. No chain event reports
// them.
import type { DeliveryRef } from '@payment-tracking/contracts'
import { DUE_LIFECYCLE_TYPES, type LifecycleType } from '@payment-tracking/domain'
import { PAGE_LIMITS } from '../database/database.js'
import type { Store } from '../database/open-store.js'
import { join, raw, sql, type Sql, type Tx } from '../database/sql.js'
import { isNotSetAside, isolate } from '../set-aside/isolate.js'
import { IS_ACTIVE } from '../rows/deliveries.js'
import {
  LIFECYCLE_COLUMNS,
  toLifecyclePolicy,
  WITH_USER_PAYMENT,
  type LifecycleRow,
} from '../rows/policies.js'
import { messageOfLifecycle, RoutedMessages } from './routed-messages.js'
import { readWebhooksOf } from './told-webhooks.js'

/** A place in the order of gateways and their policies. */
export interface DuePlace {
  gateway: string
  createdAt: bigint
  address: string
}

export interface DueLimits {
  /** how long before a due date `due_soon` is sent */
  soonSeconds: number
  /** how long after it `overdue` is sent */
  graceSeconds: number
  /** policies in one transaction */
  limit: number
  /** where this call begins; null: at the first policy */
  after?: DuePlace | null
}

export interface DuePage {
  deliveries: DeliveryRef[]
  /** the number of reported dates */
  told: number
  /** where the next call begins; null when this call has looked at the last policy */
  next: DuePlace | null
}

interface DueRow extends LifecycleRow {
  type: LifecycleType
  at: bigint
}

const TYPES = sql`array[${join(DUE_LIFECYCLE_TYPES.map(type => raw(`'${type}'`)))}]::text[]`
/** The webhook asks for one of the types. The index webhooks_due has this condition. */
const ASKS = sql`w.event_types && ${TYPES}`
/** Policies that one call looks at: few of them have a date that is to be told. */
const LOOKED_AT_ONCE = 5_000
const LOOKED_AT = raw(String(LOOKED_AT_ONCE))
const GATEWAYS_LOOKED_AT = 500
const GATEWAYS_AT_ONCE = raw(String(GATEWAYS_LOOKED_AT))

/**
 * Looks at the next policies of gateways with webhooks that ask for dates. Reports due, overdue and expired ones to these
 * webhooks, each once for its incarnation and date. Any number of processes may call it at once.
 *
 * Looks at 5,000 policies a call, by webhooks_due and policies_gateway_live, and takes no lock for it. There is no index
 * by date: each payment of a subscription moves its date, and would then write all indexes of `policies` (a HOT update no
 * more). Each transaction reports at most `limit` policies, and locks their rows for some milliseconds.
 *
 * A transaction locks a row of policies before it judges the row, and ingest writes the same row in the transaction
 * that stores a payment. So `overdue` is never sent for a policy whose payment is stored. Rows that ingest has locked
 * are skipped until the next call, so there is no deadlock. Only Postgres' clock decides.
 */
export async function tellDuePolicies(store: Store, limits: DueLimits): Promise<DuePage> {
  const { due, next } = await lookAtPolicies(store, limits)
  const deliveries: DeliveryRef[] = []
  let told = 0
  for (let from = 0; from < due.length; from += limits.limit) {
    const addresses = due.slice(from, from + limits.limit)
    for (const page of await isolate(store, 'due-dates', addresses, some => tellDue(store, some, limits))) {
      deliveries.push(...page.deliveries)
      told += page.told
    }
  }
  return { deliveries, told, next }
}

/**
 * What is to be told of a policy `p` now, by the database's clock. The comparisons are those of `dueNoticeOf`, over the
 * dates that the fold has brought into bounds: services/api/test/due-dates.test.ts compares both.
 */
const datesOf = ({ soonSeconds, graceSeconds }: DueLimits): Sql => sql`
  (select k.type, k.at
     from (select floor(extract(epoch from clock_timestamp()))::bigint as now) c
    cross join lateral (values
      ('subscription.due_soon', p.due_at, p.due_at > c.now and p.due_at <= c.now + ${BigInt(soonSeconds)}::bigint
        and (p.ends_at is null or p.ends_at > c.now)),
      ('subscription.overdue', p.due_at, p.due_at < c.now - ${BigInt(graceSeconds)}::bigint
        and (p.ends_at is null or p.ends_at > c.now)),
      ('subscription.expired', p.ends_at, p.ends_at <= c.now)) k (type, at, holds)
    where k.holds
      and exists (select from webhooks w where w.gateway = p.gateway and ${IS_ACTIVE} and k.type = any(w.event_types))
      and not exists (select from policy_notices n
                       where n.policy = p.address and n.incarnation_start = p.incarnation_start
                         and n.type = k.type and n.at = k.at))`

async function lookAtPolicies(
  { database }: Store,
  limits: DueLimits,
): Promise<{ due: string[]; next: DuePlace | null }> {
  const after = limits.after ?? { gateway: '', createdAt: 0n, address: '' }
  const asking = await database.read<{ gateway: string }>(sql`
    select distinct w.gateway from webhooks w
     where ${ASKS} and ${IS_ACTIVE} and w.gateway >= ${after.gateway}
     order by w.gateway limit ${GATEWAYS_AT_ONCE}`)
  if (asking.length === 0) return { due: [], next: null }
  const gateways = asking.map(({ gateway }) => gateway)
  const looked = await database.read<DuePlace & { isDue: boolean }>(sql`
    select p.gateway, p.created_at as "createdAt", p.address,
           p.status = 'active' and ${isNotSetAside('due-dates', sql`p.address`)}
             and exists (select from ${datesOf(limits)}) as "isDue"
      from (select p.*
              from unnest(${gateways}::text[]) with ordinality g (gateway, place)
             cross join lateral (
               select * from policies p
                where p.gateway = g.gateway collate "C" and p.live
                  and (g.gateway <> ${after.gateway} or (p.created_at, p.address) > (${after.createdAt}, ${after.address}))
                order by p.created_at, p.address limit ${LOOKED_AT}) p
             order by g.place, p.created_at, p.address limit ${LOOKED_AT}) p
     order by p.gateway, p.created_at, p.address`)
  const due = looked.filter(({ isDue }) => isDue).map(({ address }) => address)
  return { due, next: nextPlace(gateways, looked) }
}

function nextPlace(gateways: readonly string[], looked: readonly DuePlace[]): DuePlace | null {
  if (looked.length === LOOKED_AT_ONCE) {
    const { gateway, createdAt, address } = looked.at(-1)!
    return { gateway, createdAt, address }
  }
  // Behind all policies of the last gateway.
  return gateways.length === GATEWAYS_LOOKED_AT
    ? { gateway: gateways.at(-1)!, createdAt: 2n ** 62n, address: '' }
    : null
}

/** One transaction. The policies may have changed since the look. */
const tellDue = (
  { database }: Store,
  addresses: readonly string[],
  limits: DueLimits,
): Promise<Omit<DuePage, 'next'>> =>
  database.transaction(async tx => {
    const rows = await takeDue(tx, addresses, limits)
    const webhooksOf = await readWebhooksOf(tx, [...new Set(rows.map(({ gateway }) => gateway))])
    const routed = new RoutedMessages()
    for (const { type, at: dueAt, ...row } of rows) {
      const at = new Date(Number(dueAt) * 1000).toISOString()
      const lifecycle = { type, key: String(dueAt), at, dueAt, cause: null }
      const message = messageOfLifecycle(toLifecyclePolicy(row), lifecycle)
      // Nothing can take the passing of time back: it is final.
      for (const webhook of webhooksOf.get(row.gateway) ?? []) routed.add(webhook, message, true)
    }
    return { deliveries: await routed.write(tx), told: rows.length }
  }, PAGE_LIMITS)

/**
 * Finds what no webhook was told yet, and records that it is told. Two statements: a statement that waits for a row or meets
 * a changed row keeps what it computed from the old row, here the dates, so it would tell of a date that was just paid.
 */
async function takeDue(tx: Tx, addresses: readonly string[], limits: DueLimits): Promise<DueRow[]> {
  const locked = await tx.$queryRaw<{ address: string }[]>(sql`
    select address from policies
     where address = any(${[...addresses]}::text[]) and live and status = 'active'
     order by address for no key update skip locked`)
  if (locked.length === 0) return []
  return tx.$queryRaw<DueRow[]>(sql`
  with due as (
    select p.*, k.type, k.at
      from policies p
     cross join lateral ${datesOf(limits)} k
     where p.address = any(${locked.map(({ address }) => address)}::text[]) and p.live and p.status = 'active'
  ), told as (
    insert into policy_notices (policy, incarnation_start, type, at)
    select address, incarnation_start, type, at from due order by address
    on conflict do nothing
    returning policy, incarnation_start, type, at
  )
  select ${LIFECYCLE_COLUMNS}, p.type, p.at
    from told t
    join due p on p.address = t.policy and p.incarnation_start = t.incarnation_start and p.type = t.type and p.at = t.at
    ${WITH_USER_PAYMENT}`)
}
