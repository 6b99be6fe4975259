// The subscriptions of a gateway: figures of today, overdue subscriptions and past figures all start from these rows.
import { readPolicyTerms, type PolicyTerms } from '@payment-tracking/domain'
import { sql, type Sql, type Store } from '../../core/database/sql.js'
import { OF_POLICY } from '../../core/tables/payment-names.js'

type SubscriptionTerms = Extract<PolicyTerms, { kind: 'subscription' }>

/** What the row of a policy says about who pays, and in which token. */
export interface PolicyPayer {
  tokenMint: string | null
  /** null while its user payment is not known */
  wallet: string | null
  /** a payment of the policy is valid, of whichever life of its address */
  wasPaid: boolean
}

/** A living subscription of a gateway. */
export interface LivingSubscription extends PolicyPayer {
  address: string
  status: string
  /** Unix seconds */
  createdAt: bigint
  dueAt: bigint | null
  terms: Omit<SubscriptionTerms, 'nextPaymentDue'>
  /** created once, active, and nothing ended or changed it: it has been active since its creation */
  isSteady: boolean
}

/** A subscription that was created once, active, and closed once. */
export interface ClosedSubscription extends PolicyPayer {
  /** Unix seconds */
  createdAt: bigint
  /** milliseconds since 1970, at least a second later */
  closedAtMs: number
  terms: LivingSubscription['terms']
}

/** Some policies of a gateway. */
export interface GatewaySubscriptions {
  living: LivingSubscription[]
  closed: ClosedSubscription[]
  /** by address, the policies of which only events say when they were subscriptions and active */
  changing: Map<string, PolicyPayer>
}

/** Policies of a page: each costs a probe, one more where its address was closed, and the events of some are read next. */
const POLICIES_AT_ONCE = 500
/** Created events of a statement: each costs a probe. */
const CREATED_AT_ONCE = 2_500

/** Payments of an address that was opened again are asked for. Relies on events_policy_payments. */
const wasPaid = (policy: Sql): Sql => sql`
  exists (select from events e where e.payment_policy = ${policy} and ${OF_POLICY} and e.retracted_at is null)`

interface SubscriptionRow extends Omit<LivingSubscription, 'terms' | 'isSteady'> {
  policyType: string | null
  live: boolean
  /** no event changed its status */
  unchanged: boolean
  /** no payment of this life is valid */
  unpaid: boolean
  wasClosed: boolean
  /** this gateway created it again after it was closed */
  wasReopened: boolean
  /** null unless it was created once and closed once */
  closedAt: Date | null
}

const BEFORE_ALL = { createdAt: -(2n ** 63n), address: '' }

/** The gateway's policies after one, by (creation, address). Relies on policies_gateway_live and policies_gateway_gone. */
function readPage({ database }: Store, gateway: string, after: { createdAt: bigint; address: string }) {
  const first = (live: Sql): Sql => sql`
    (select p.* from policies p
      where p.gateway = ${gateway} and ${live} and (p.created_at, p.address) > (${after.createdAt}, ${after.address})
      order by p.created_at, p.address limit ${POLICIES_AT_ONCE})`
  return database.read<SubscriptionRow>(sql`
    select p.address, p.live, p.status, p.created_at as "createdAt",
           p.due_at as "dueAt", p.policy_type::text as "policyType", coalesce(p.token_mint, u.token_mint) as "tokenMint",
           u.owner as wallet, p.payment_count = 0 as unpaid, p.deleted_order is not null as "wasClosed", c.*,
           p.status_order is null and p.family = 'regular' as unchanged,
           p.payment_count > 0 or (c."wasReopened" and ${wasPaid(sql`p.address`)}) as "wasPaid"
      from (select * from (${first(sql`p.live`)} union all ${first(sql`not p.live`)}) p
             order by p.created_at, p.address limit ${POLICIES_AT_ONCE}) p
      left join user_payments u on u.address = p.user_payment
     cross join lateral (
       select count(*) filter (where ${IS_CREATED} and e.gateway = ${gateway}) > 1 as "wasReopened",
              case when count(*) filter (where ${IS_CREATED} and e.gateway = ${gateway}) = 1
                    and count(*) filter (where not (${IS_CREATED})) = 1
                   then max(e.occurred_at) filter (where not (${IS_CREATED})) end as "closedAt"
         from events e
        where p.deleted_order is not null and e.payment_policy = p.address and e.retracted_at is null
          and e.name in ('PaymentPolicyCreated', 'PaymentPolicyDeleted')) c
     order by p.created_at, p.address`)
}

const IS_CREATED = sql`e.name = 'PaymentPolicyCreated' and e.retracted_at is null`

interface CreatedRow extends PolicyPayer {
  address: string
  /** the policy belongs to another gateway now */
  left: boolean | null
  /** the policy is the gateway's own, and a later event created it again although its address was never closed */
  again: boolean | null
  /** from 1 in its page */
  number: bigint
  occurredAt: string
  slot: bigint
  index: bigint
  id: string
}

/**
 * Looks at the next 2,500 events that created policies of this gateway. It returns those whose policy belongs to another gateway
 * now, or was created again. The last of the 2,500 is returned in any case: the next page begins after it. Relies on
 * events_gateway_rare.
 * @param after the last event of the page before
 */
function readCreated({ database }: Store, gateway: string, after: CreatedRow | undefined) {
  const isAfter = after
    ? sql`(e.occurred_at, e.slot, e.event_index, e.id)
            > (${after.occurredAt}::text::timestamptz, ${after.slot}, ${after.index}, ${after.id}::uuid)`
    : sql`true`
  const inOrder = sql`order by e.occurred_at, e.slot, e.event_index, e.id`
  return database.read<CreatedRow>(sql`
    select e.payment_policy as address, e.number, s.left, s.again, e.occurred_at::text as "occurredAt", e.slot,
           e.event_index as index, e.id, coalesce(p.token_mint, u.token_mint) as "tokenMint", u.owner as wallet,
           ${wasPaid(sql`e.payment_policy`)} as "wasPaid"
      from (select e.*, row_number() over (${inOrder}) as number
              from (select e.payment_policy, e.occurred_at, e.slot, e.event_index, e.id from events e
                     where e.gateway = ${gateway} and ${IS_CREATED} and ${isAfter} ${inOrder} limit ${CREATED_AT_ONCE}) e) e
      left join policies p on p.address = e.payment_policy
     cross join lateral (
       select p.gateway <> ${gateway} as left,
              p.gateway = ${gateway} and p.deleted_order is null
                and right(p.incarnation_start, 32) <> replace(e.id::text, '-', '') as again) s
      left join user_payments u on u.address = p.user_payment and (s.left or s.again)
     where s.left or s.again or e.number = ${CREATED_AT_ONCE}
     ${inOrder} limit ${POLICIES_AT_ONCE}`)
}

/**
 * Reads the policies of a gateway in pages, so that no statement grows with their number. First come policies that this gateway
 * created and that belong to another gateway now: they count for the time before they left. Then come its own. Payments are not
 * read: for an address that was opened again, a page only asks whether it has one.
 *
 * Each page shows the state of its own moment: a policy that is opened again between two pages can be in both.
 */
export async function* readSubscriptions(
  store: Store,
  gateway: string,
): AsyncGenerator<GatewaySubscriptions, void> {
  const left = new Set<string>()
  const again = new Map<string, PolicyPayer>()
  for (let after: CreatedRow | undefined, isLast = false; !isLast;) {
    const rows = await readCreated(store, gateway, after)
    after = rows.at(-1)
    isLast = rows.length < POLICIES_AT_ONCE && after?.number !== BigInt(CREATED_AT_ONCE)
    const found = rows.filter(row => row.left && !left.has(row.address))
    for (const { address } of found) left.add(address)
    for (const row of rows) if (row.again) again.set(row.address, row)
    if (found.length > 0)
      yield { living: [], closed: [], changing: new Map(found.map(row => [row.address, row])) }
  }
  const termsOf = buildTermsReader()
  for (let after = BEFORE_ALL, isLast = false; !isLast;) {
    const rows = await readPage(store, gateway, after)
    isLast = rows.length < POLICIES_AT_ONCE
    after = rows.at(-1) ?? after
    yield partPage(rows, again, termsOf)
  }
}

/** How the text of a subscription's policy type begins. Others are not read. */
const SUBSCRIPTION = '{"Subscription"'

function partPage(
  rows: readonly SubscriptionRow[],
  again: ReadonlyMap<string, PolicyPayer>,
  termsOf: (policyType: string) => PolicyTerms,
): GatewaySubscriptions {
  const page: GatewaySubscriptions = { living: [], closed: [], changing: new Map() }
  for (const row of rows) {
    const { address, status, createdAt, dueAt, tokenMint, wallet, closedAt } = row
    const policyTerms = row.policyType?.startsWith(SUBSCRIPTION) ? termsOf(row.policyType) : null
    const terms = policyTerms?.kind === 'subscription' ? policyTerms : null
    const wasOnce = !row.wasReopened && !again.has(address)
    if (terms === null && wasOnce) continue
    const wasPaid = row.wasPaid || (again.get(address)?.wasPaid ?? false)
    const wasActive =
      terms !== null &&
      row.unchanged &&
      status === 'active' &&
      wasOnce &&
      // One that renews itself and is not completed never was; another one was completed by its first payment alone.
      (terms.maxRenewals === null || terms.autoRenew || row.unpaid)
    const isSteady = wasActive && row.live && !row.wasClosed
    const closedAtMs = row.live || closedAt === null ? -Infinity : closedAt.getTime()
    if (wasActive && closedAtMs >= 1_000 * (Number(createdAt) + 1))
      page.closed.push({ tokenMint, wallet, wasPaid, createdAt, closedAtMs, terms })
    else if (!isSteady) page.changing.set(address, { tokenMint, wallet, wasPaid })
    // Named one by one: a copy of a part of them costs ten times as much.
    if (row.live && terms !== null)
      page.living.push({ address, tokenMint, wallet, wasPaid, status, createdAt, dueAt, terms, isSteady })
  }
  return page
}

/** Of a subscription, but for its due date, nearly all policies of a gateway say the same. */
const DUE = /"next_payment_due": ?-?\d+/
const NO_DUE = '"next_payment_due":0'

/** Reads each text once: of 100,000 policies that took most of the time. */
function buildTermsReader(): (policyType: string) => PolicyTerms {
  const known = new Map<string, PolicyTerms>()
  return policyType => {
    const text = policyType.replace(DUE, NO_DUE)
    const terms = known.get(text) ?? readPolicyTerms(text)
    if (known.size < MOST_TEXTS) known.set(text, terms)
    return terms
  }
}

/** A gateway can have as many texts as policies. */
const MOST_TEXTS = 1_000
