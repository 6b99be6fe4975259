// Finds when subscriptions of a gateway were active: applies their events by the projection rules.
import { setImmediate as giveWay } from 'node:timers/promises'
import {
  applyToPolicy,
  emptyPolicy,
  policyOutcome,
  readPolicyTerms,
  type Frequency,
  type PolicyState,
} from '@payment-tracking/domain'
import type { Store } from '../database/open-store.js'
import { sql, type Sql } from '../database/sql.js'
import { readStored, STORED_COLUMNS, type StoredRow } from '../rows/stored-events.js'
import { IS_PAYMENT, IS_POLICY_CREATED } from '../rows/payment-names.js'
import type { GatewaySubscriptions, PolicyPayer } from './read-subscriptions.js'

/** A subscription while it is active. */
export interface ActiveSubscription extends PolicyPayer {
  amount: bigint
  frequency: Frequency
}

interface Row extends StoredRow {
  policy: string
}

/** Events to read before the event loop gets a turn: each costs about a tenth of a millisecond. */
const READ_AT_ONCE = 100

const PLACE = sql`e.slot, e.transaction_index, e.event_index, e.id`

/**
 * Every payment of policies that payments can complete. Of other policies whose status changed, a payment matters only
 * because it comes after the change on the chain and so makes the policy active again. The earliest such payment tells
 * since when, and it may be stored with a time before the change, so both sides of that time are looked at.
 * Relies on events_policy_rare and events_policy_newest for each policy.
 */
async function readHistory(
  { database }: Store,
  gateway: string,
  addresses: readonly string[],
): Promise<readonly Row[]> {
  if (addresses.length === 0) return []
  const firstPaymentAfter = (time: Sql): Sql => sql`
    (select e.* from events e
      where e.payment_policy = c.payment_policy and ${time} and e.slot >= c.slot and ${IS_PAYMENT}
        and e.retracted_at is null and (${PLACE}) > (c.slot, c.transaction_index, c.event_index, c.id)
      order by e.occurred_at, e.slot, e.event_index, e.id limit 1)`
  return database.read<Row>(sql`
    with own as (
      select e.payment_policy as address, bool_or(e.data::text !~ '"max_renewals": ?null') as ends
        from events e
       where e.payment_policy = any(${[...addresses]}::text[]) and e.gateway = ${gateway}
         and ${IS_POLICY_CREATED} and e.name <> 'PaymentRecord'
         and e.retracted_at is null and e.data::text like '%Subscription%'
       group by 1
    ), rare as (
      select e.*
        from own join events e on e.payment_policy = own.address
       where e.name <> 'PaymentRecord' and e.name <> 'ComposableExecuted' and e.retracted_at is null
    ), paid_again as (
      select distinct on (e.id) e.*
        from rare c join own on own.address = c.payment_policy and not own.ends
       cross join lateral (
         ${firstPaymentAfter(sql`e.occurred_at < c.occurred_at`)} union all
         ${firstPaymentAfter(sql`e.occurred_at >= c.occurred_at`)}) e
       where c.name like '%PolicyStatusChanged'
    )
    select ${STORED_COLUMNS}, e.payment_policy as policy
      from (select * from rare union all
            select * from paid_again union all
            select e.* from own join events e on e.payment_policy = own.address
             where own.ends and ${IS_PAYMENT} and e.retracted_at is null) e
     order by e.occurred_at, e.slot, e.transaction_index, e.event_index, e.id`)
}

/** @returns null unless the policy is a subscription that is alive, active and not completed */
function toActive(state: PolicyState, gateway: string, payer: PolicyPayer): ActiveSubscription | null {
  const outcome = policyOutcome(state)
  if (!outcome.live || outcome.status !== 'active' || state.gateway !== gateway) return null
  const terms = readPolicyTerms(state.policyType!)
  if (terms.kind !== 'subscription') return null
  return { ...payer, amount: terms.amount, frequency: terms.frequency }
}

/** At a moment a subscription became active, or stopped to be. */
export interface SubscriptionChange {
  /** milliseconds since 1970 */
  atMs: number
  became: 'active' | 'inactive'
  subscription: ActiveSubscription
}

/** What made policies active subscriptions of the gateway, and what ended that. Without the steady ones. */
export async function replaySubscriptions(
  store: Store,
  { changing }: GatewaySubscriptions,
  { gateway, programId }: { gateway: string; programId: string },
): Promise<SubscriptionChange[]> {
  const rows = await readHistory(store, gateway, [...changing.keys()])
  const states = new Map<string, PolicyState>()
  const active = new Map<string, ActiveSubscription>()
  const changes: SubscriptionChange[] = []
  for (const [index, row] of rows.entries()) {
    if (index % READ_AT_ONCE === READ_AT_ONCE - 1) await giveWay()
    const state = applyToPolicy(states.get(row.policy) ?? emptyPolicy(row.policy), readStored(row, programId))
    states.set(row.policy, state)
    const atMs = row.occurred_at.getTime()
    const [was, is] = [active.get(row.policy), toActive(state, gateway, changing.get(row.policy)!)]
    if (was) changes.push({ atMs, became: 'inactive', subscription: was })
    if (is) changes.push({ atMs, became: 'active', subscription: is })
    if (is) active.set(row.policy, is)
    else active.delete(row.policy)
  }
  return changes
}
