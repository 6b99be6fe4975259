// Finds the subscriptions of a gateway that were active at past moments: applies their events by the projection rules.
import { setImmediate as giveWay } from 'node:timers/promises'
import {
  applyToPolicy,
  emptyPolicy,
  policyOutcome,
  readJson,
  readPolicyTerms,
  type PolicyState,
} from '@payment-tracking/domain'
import type { Store } from '../database/open-store.js'
import { sql } from '../database/sql.js'
import { readStored, STORED_COLUMNS, type StoredRow } from '../ingest/stored-events.js'
import { IS_PAYMENT, IS_POLICY_CREATED } from '../payment-names.js'

/** A subscription that is active at a moment. */
export interface ActiveSubscription {
  address: string
  tokenMint: string | null
  /** null while its user payment is not known */
  wallet: string | null
  amount: bigint
  frequency: { name: string; seconds?: bigint }
}

interface Row extends StoredRow {
  token_mint: string | null
  owner: string | null
  policy: string
}

/** Events to read before the event loop gets a turn: each costs about a tenth of a millisecond. */
const READ_AT_ONCE = 100

interface JudgedRow {
  address: string
  steady: boolean
  created_at: bigint
  token_mint: string | null
  owner: string | null
  amount: string
  frequency: string
}

/**
 * The policies that the gateway's Created events name. A steady subscription was created once, and nothing ended or
 * changed it: its row says since when it is active. For the others only the events say when they were active.
 * Relies on events_gateway_rare, then on one probe of policies and user_payments for each policy. Reads no payments.
 */
const judgePolicies = ({ database }: Store, gateway: string): Promise<JudgedRow[]> =>
  database.read<JudgedRow>(sql`
    select c.address, j.steady, p.created_at, coalesce(p.token_mint, u.token_mint) as token_mint, u.owner,
           p.policy_type -> 'Subscription' ->> 'amount' as amount,
           p.policy_type -> 'Subscription' ->> 'payment_frequency' as frequency
      from (select e.payment_policy as address, count(*) as times
              from events e
             where e.gateway = ${gateway} and ${IS_POLICY_CREATED} and e.name <> 'PaymentRecord'
               and e.retracted_at is null
             group by 1) c
      join policies p on p.address = c.address
      left join user_payments u on u.address = p.user_payment
     cross join lateral (select p.policy_type::text like '{"Subscription"%' as subscription) t
     cross join lateral (
       select t.subscription and c.times = 1 and p.gateway = ${gateway} and p.live and p.status = 'active'
              and p.deleted_order is null and p.status_order is null
              and p.policy_type -> 'Subscription' ->> 'max_renewals' is null as steady) j
     where t.subscription or c.times > 1 or p.gateway <> ${gateway}`)

/**
 * Reads payments only of policies that payments can complete, or whose status changed.
 * Relies on events_policy_rare and events_policy_newest for each policy.
 */
async function readHistory(
  { database }: Store,
  gateway: string,
  addresses: readonly string[],
): Promise<Row[]> {
  if (addresses.length === 0) return []
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
    ), counted as (
      select address from own where ends union
      select payment_policy from rare where name like '%PolicyStatusChanged'
    )
    select ${STORED_COLUMNS}, e.payment_policy as policy, coalesce(p.token_mint, u.token_mint) as token_mint, u.owner
      from (select * from rare union all
            select e.* from counted c join events e on e.payment_policy = c.address
             where ${IS_PAYMENT} and e.retracted_at is null) e
      left join policies p on p.address = e.payment_policy
      left join user_payments u on u.address = p.user_payment
     order by e.occurred_at, e.slot, e.transaction_index, e.event_index, e.id`)
}

/** The JSON text of a frequency: `{"Custom":777777}`. */
export function readFrequency(text: string): ActiveSubscription['frequency'] {
  const [name = '', payload] = Object.entries(readJson(text) as Record<string, unknown>)[0] ?? []
  return name === 'Custom' ? { name, seconds: BigInt(payload as number | bigint) } : { name }
}

/** @returns null unless the policy is a subscription that is alive, active and not completed */
function toActive(state: PolicyState, gateway: string, row: Row): ActiveSubscription | null {
  const outcome = policyOutcome(state)
  if (!outcome.live || outcome.status !== 'active' || state.gateway !== gateway) return null
  const terms = readPolicyTerms(state.policyType!)
  if (terms.kind !== 'subscription') return null
  return {
    address: state.address,
    tokenMint: row.token_mint,
    wallet: row.owner,
    amount: terms.amount,
    frequency: terms.frequency,
  }
}

/**
 * The subscriptions that were active right before each moment.
 * @param moments ascending, Unix seconds
 */
export async function replaySubscriptions(
  store: Store,
  gateway: string,
  moments: readonly number[],
  programId: string,
): Promise<ActiveSubscription[][]> {
  const judged = await judgePolicies(store, gateway)
  const steady = judged.filter(row => row.steady)
  const rows = await readHistory(
    store,
    gateway,
    judged.filter(row => !row.steady).map(({ address }) => address),
  )
  const states = new Map<string, PolicyState>()
  const active = new Map<string, ActiveSubscription>()
  const snapshots: ActiveSubscription[][] = []
  let next = 0
  for (const [index, row] of rows.entries()) {
    if (index % READ_AT_ONCE === READ_AT_ONCE - 1) await giveWay()
    while (next < moments.length && row.occurred_at.getTime() >= moments[next]! * 1000) {
      snapshots.push([...active.values()])
      next++
    }
    const state = applyToPolicy(states.get(row.policy) ?? emptyPolicy(row.policy), readStored(row, programId))
    states.set(row.policy, state)
    const subscription = toActive(state, gateway, row)
    if (subscription) active.set(row.policy, subscription)
    else active.delete(row.policy)
  }
  while (snapshots.length < moments.length) snapshots.push([...active.values()])
  const frequencies = new Map<string, ActiveSubscription['frequency']>()
  for (const {
    address,
    created_at: createdAt,
    token_mint: tokenMint,
    owner,
    amount,
    frequency: text,
  } of steady) {
    const frequency = frequencies.get(text) ?? readFrequency(text)
    frequencies.set(text, frequency)
    const subscription = { address, tokenMint, wallet: owner, amount: BigInt(amount), frequency }
    for (const [index, moment] of moments.entries())
      if (createdAt < BigInt(moment)) snapshots[index]!.push(subscription)
  }
  return snapshots
}
