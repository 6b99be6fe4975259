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
import { bigints, sql, type Sql, type Store } from '../../core/database/sql.js'
import { readStored, STORED_COLUMNS, type StoredRow } from '../../core/tables/stored-events.js'
import { IS_POLICY_CREATED, OF_POLICY, POLICY_EVENTS } from '../../core/tables/payment-names.js'
import type { GatewaySubscriptions, PolicyPayer } from './read-subscriptions.js'

/** A subscription while it is active. */
export interface ActiveSubscription extends PolicyPayer {
  amount: bigint
  frequency: Frequency
}

interface ReplayedRow extends StoredRow {
  policy: string
  /** as text, with all digits */
  occurredAt: string
}

/** Events to read before the event loop gets a turn: each costs about a tenth of a millisecond. */
const READ_AT_ONCE = 100
/** Events of one statement, of all its policies together, and the least of each policy. */
const EVENTS_AT_ONCE = 2_000
const LEAST_OF_POLICY = 20
/** Payments after a status change of which the earliest counts. */
const NEXT_PAYMENTS = 10

const CHAIN_POSITION = sql`e.slot, e.transaction_index, e.event_index, e.id`
const REPLAYED_COLUMNS = sql`${STORED_COLUMNS}, e.payment_policy as policy, e.occurred_at::text as "occurredAt"`

/** Which of the policies were subscriptions of the gateway, and whether payments can complete them. */
const readOwn = ({ database }: Store, gateway: string, addresses: readonly string[]) =>
  database.read<{ address: string; ends: boolean }>(sql`
    select e.payment_policy as address, bool_or(e.data::text !~ '"max_renewals": ?null') as ends
      from events e
     where e.payment_policy = any(${[...addresses]}::text[]) and e.gateway = ${gateway}
       and ${IS_POLICY_CREATED} and e.name <> 'PaymentRecord'
       and e.retracted_at is null and e.data::text like '%Subscription%'
     group by 1`)

type ChangeKey = Pick<ReplayedRow, 'policy' | 'occurredAt' | 'slot' | 'event_index' | 'id'>
const mostOf = (policies: number): number => Math.max(LEAST_OF_POLICY, Math.floor(EVENTS_AT_ONCE / policies))
const before = (policy: string): ChangeKey => ({
  policy,
  occurredAt: '-infinity',
  slot: 0n,
  event_index: 0n,
  id: '00000000-0000-0000-0000-000000000000',
})

const BY_TIME = sql`e.occurred_at, e.slot, e.event_index, e.id`
const IS_NEXT = sql`e.retracted_at is null
  and (${BY_TIME}) > (k.occurred_at::timestamptz, k.slot, k.event_index, k.id::uuid)`

const listOf = (keys: readonly ChangeKey[]): Sql => sql`
  unnest(${keys.map(({ policy }) => policy)}::text[], ${keys.map(({ occurredAt }) => occurredAt)}::text[],
         ${bigints(keys.map(({ slot }) => slot))}, ${bigints(keys.map(key => key.event_index))},
         ${keys.map(({ id }) => id)}::text[]) as k (policy, occurred_at, slot, event_index, id)`

/** The next events of each policy, every payment too. Relies on events_policy_newest. */
const readNext = ({ database }: Store, keys: readonly ChangeKey[], most: number) =>
  database.read<ReplayedRow>(sql`
    select ${REPLAYED_COLUMNS}
      from ${listOf(keys)}
     cross join lateral (
       select * from events e where e.payment_policy = k.policy and ${IS_NEXT} order by ${BY_TIME} limit ${most}) e
     order by ${BY_TIME}`)

/**
 * The next changes of policies that no payment completes. When the status changed, a payment matters only because it comes
 * after the change on the chain and so makes the policy active again. Times can stand in another order than the chain, a little:
 * the earliest of the next payments on the chain says since when.
 * Relies on events_policy_rare and events_policy_payments for each policy.
 * @param most changes of each policy
 */
const readChanges = ({ database }: Store, keys: readonly ChangeKey[], most: number) =>
  database.read<ReplayedRow>(sql`
    with rare as (
      select e.* from ${listOf(keys)}
       cross join lateral (
         select e.* from unnest(${POLICY_EVENTS}::text[]) as n (name)
          cross join lateral (
            select * from events e
             where e.payment_policy = k.policy and e.name = n.name and e.name <> 'PaymentRecord' and ${IS_NEXT}
             order by ${BY_TIME} limit ${most}) e
          order by ${BY_TIME} limit ${most}) e
    ), paid_again as (
      select distinct on (e.id) e.*
        from rare c
       cross join lateral (
         select * from (
           select * from events e
            where e.payment_policy = c.payment_policy and ${OF_POLICY} and e.retracted_at is null
              and (${CHAIN_POSITION}) > (c.slot, c.transaction_index, c.event_index, c.id)
            order by ${CHAIN_POSITION} limit ${NEXT_PAYMENTS}) e
         order by ${BY_TIME} limit 1) e
       where c.name like '%PolicyStatusChanged'
    )
    select ${REPLAYED_COLUMNS} from (select * from rare union all select * from paid_again) e`)

/** The last of these events of each policy that has as many as were asked for. */
function fullPages(rows: readonly ReplayedRow[], most: number): ReplayedRow[] {
  const ofPolicy = new Map<string, { count: number; last: ReplayedRow }>()
  for (const row of rows)
    ofPolicy.set(row.policy, { count: (ofPolicy.get(row.policy)?.count ?? 0) + 1, last: row })
  return [...ofPolicy.values()].filter(({ count }) => count === most).map(({ last }) => last)
}

const IN_TIME = ['occurred_at', 'slot', 'transaction_index', 'event_index', 'id'] as const

function compareTimes(a: ReplayedRow, b: ReplayedRow): number {
  const differs = IN_TIME.find(name => a[name].valueOf() !== b[name].valueOf())
  return differs === undefined ? 0 : a[differs] < b[differs] ? -1 : 1
}

/** Payments after the changes of a page are kept until the changes before them are read. */
async function* readEndless(
  store: Store,
  addresses: readonly string[],
): AsyncGenerator<readonly ReplayedRow[], void> {
  let kept = new Map<string, ReplayedRow>()
  for (let left: ChangeKey[] = addresses.map(before); left.length > 0;) {
    const most = mostOf(left.length)
    const rows = [...(await readChanges(store, left, most))].sort(compareTimes)
    const full = fullPages(
      rows.filter(({ name }) => POLICY_EVENTS.includes(name)),
      most,
    )
    const ends = new Map(full.map(last => [last.policy, last]))
    const found = new Map([...kept, ...rows.map(row => [row.id, row] as const)])
    const isLater = (row: ReplayedRow) => ends.has(row.policy) && compareTimes(row, ends.get(row.policy)!) > 0
    kept = new Map([...found].filter(([, row]) => isLater(row)))
    yield [...found.values()].filter(({ id }) => !kept.has(id)).sort(compareTimes)
    left = full
  }
}

/** The events of subscriptions in pages, those of each policy by time: a policy can have any number of events. */
async function* readHistory(
  store: Store,
  gateway: string,
  addresses: readonly string[],
): AsyncGenerator<readonly ReplayedRow[], void> {
  if (addresses.length === 0) return
  const own = await readOwn(store, gateway, addresses)
  const named = (ends: boolean) => own.filter(policy => policy.ends === ends).map(({ address }) => address)
  yield* readEndless(store, named(false))
  for (let left: ChangeKey[] = named(true).map(before); left.length > 0;) {
    const most = mostOf(left.length)
    const rows = await readNext(store, left, most)
    yield rows
    left = fullPages(rows, most)
  }
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
  const states = new Map<string, PolicyState>()
  const active = new Map<string, ActiveSubscription>()
  const changes: SubscriptionChange[] = []
  const read = (row: ReplayedRow) => {
    const state = applyToPolicy(states.get(row.policy) ?? emptyPolicy(row.policy), readStored(row, programId))
    states.set(row.policy, state)
    const atMs = row.occurred_at.getTime()
    const [was, is] = [active.get(row.policy), toActive(state, gateway, changing.get(row.policy)!)]
    // Most payments change nothing.
    if (was && is && was.amount === is.amount && isSame(was.frequency, is.frequency)) return
    if (was) changes.push({ atMs, became: 'inactive', subscription: was })
    if (is) changes.push({ atMs, became: 'active', subscription: is })
    if (is) active.set(row.policy, is)
    else active.delete(row.policy)
  }
  for await (const rows of readHistory(store, gateway, [...changing.keys()])) {
    for (const [index, row] of rows.entries()) {
      if (index % READ_AT_ONCE === READ_AT_ONCE - 1) await giveWay()
      read(row)
    }
  }
  return changes
}

const isSame = (a: Frequency, b: Frequency): boolean => a.name === b.name && a.seconds === b.seconds
