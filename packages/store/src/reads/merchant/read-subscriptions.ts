// The subscriptions of a gateway: figures of today, overdue subscriptions and past figures all start from these rows.
import { readPolicyTerms, type PolicyTerms } from '@payment-tracking/domain'
import type { Store } from '../../core/database/open-store.js'
import { sql, type Sql } from '../../core/database/sql.js'
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
  nextPaymentDue: bigint | null
  dueAt: bigint | null
  terms: Omit<SubscriptionTerms, 'nextPaymentDue'>
  /** created once, active, and nothing ended or changed it: it has been active since its creation */
  isSteady: boolean
}

/** Some policies of a gateway. */
export interface GatewaySubscriptions {
  living: LivingSubscription[]
  /** by address, the policies of which only events say when they were subscriptions and active */
  changing: Map<string, PolicyPayer>
}

/** Policies of a statement: each costs three probes, one more where its address was opened again, and their events are read next. */
const POLICIES_AT_ONCE = 500

/** Payments of an address that was opened again are asked for. Relies on events_policy_payments. */
const wasPaid = (policy: Sql): Sql => sql`
  exists (select from events e where e.payment_policy = ${policy} and ${OF_POLICY} and e.retracted_at is null)`

interface SubscriptionRow extends Omit<LivingSubscription, 'terms' | 'isSteady'> {
  unchanged: boolean
  policyType: string | null
  live: boolean
  /** how often this gateway's policy was created */
  times: bigint
}

const BEFORE_ALL = { createdAt: -(2n ** 63n), address: '' }

/** The gateway's policies after one, by (creation, address). Relies on policies_gateway_live and policies_gateway_gone. */
function readPage({ database }: Store, gateway: string, after: { createdAt: bigint; address: string }) {
  const first = (live: Sql): Sql => sql`
    (select p.* from policies p
      where p.gateway = ${gateway} and ${live} and (p.created_at, p.address) > (${after.createdAt}, ${after.address})
      order by p.created_at, p.address limit ${POLICIES_AT_ONCE})`
  return database.read<SubscriptionRow>(sql`
    select p.address, p.live, p.status, p.created_at as "createdAt", p.next_payment_due as "nextPaymentDue",
           p.due_at as "dueAt", p.policy_type::text as "policyType", coalesce(p.token_mint, u.token_mint) as "tokenMint",
           u.owner as wallet, p.deleted_order is null and p.status_order is null as unchanged, c.times,
           p.payment_count > 0 or (c.times > 1 and ${wasPaid(sql`p.address`)}) as "wasPaid"
      from (select * from (${first(sql`p.live`)} union all ${first(sql`not p.live`)}) p
             order by p.created_at, p.address limit ${POLICIES_AT_ONCE}) p
      left join user_payments u on u.address = p.user_payment
     cross join lateral (
       select count(*) as times from events e
        where e.payment_policy = p.address and e.gateway = ${gateway} and ${IS_CREATED}) c
     order by p.created_at, p.address`)
}

const IS_CREATED = sql`e.name = 'PaymentPolicyCreated' and e.retracted_at is null`

interface CreatedRow extends PolicyPayer {
  address: string
  /** the policy belongs to another gateway now; null for a policy of which nothing is stored */
  left: boolean | null
  occurredAt: string
  slot: bigint
  index: bigint
  id: string
}

/** What created policies of this gateway, after one of these events. Relies on events_gateway_rare. */
function readCreated({ database }: Store, gateway: string, after: CreatedRow | undefined) {
  const isAfter = after
    ? sql`(e.occurred_at, e.slot, e.event_index, e.id)
            > (${after.occurredAt}::text::timestamptz, ${after.slot}, ${after.index}, ${after.id}::uuid)`
    : sql`true`
  return database.read<CreatedRow>(sql`
    select e.payment_policy as address, p.gateway <> ${gateway} as left, e.occurred_at::text as "occurredAt",
           e.slot, e.event_index as index, e.id, coalesce(p.token_mint, u.token_mint) as "tokenMint", u.owner as wallet,
           ${wasPaid(sql`e.payment_policy`)} as "wasPaid"
      from (select * from events e where e.gateway = ${gateway} and ${IS_CREATED} and ${isAfter}
             order by e.occurred_at, e.slot, e.event_index, e.id limit ${POLICIES_AT_ONCE}) e
      left join policies p on p.address = e.payment_policy
      left join user_payments u on u.address = p.user_payment
     order by e.occurred_at, e.slot, e.event_index, e.id`)
}

/**
 * Reads the policies of a gateway in pages, so that no statement grows with their number. First come those that are its own now,
 * then those that it created and another gateway has now, for the time when they were its own. Payments are not read: for an
 * address that was opened again, a page only asks whether it has one.
 *
 * Each page shows the state of its own moment: a policy that is opened again between two pages can be in both.
 */
export async function* readSubscriptions(
  store: Store,
  gateway: string,
): AsyncGenerator<GatewaySubscriptions, void> {
  const termsOf = buildTermsReader()
  for (let after = BEFORE_ALL, isLast = false; !isLast;) {
    const rows = await readPage(store, gateway, after)
    isLast = rows.length < POLICIES_AT_ONCE
    after = rows.at(-1) ?? after
    yield partPage(rows, termsOf)
  }
  const left = new Set<string>()
  for (let after: CreatedRow | undefined, isLast = false; !isLast;) {
    const rows = await readCreated(store, gateway, after)
    isLast = rows.length < POLICIES_AT_ONCE
    after = rows.at(-1)
    const found = rows.filter(row => row.left && !left.has(row.address))
    for (const { address } of found) left.add(address)
    if (found.length > 0) yield { living: [], changing: new Map(found.map(row => [row.address, row])) }
  }
}

/** How the text of a subscription's policy type begins. Others are not read. */
const SUBSCRIPTION = '{"Subscription"'

function partPage(
  rows: readonly SubscriptionRow[],
  termsOf: (policyType: string) => PolicyTerms,
): GatewaySubscriptions {
  const living: LivingSubscription[] = []
  const changing = new Map<string, PolicyPayer>()
  for (const row of rows) {
    const { address, status, createdAt, nextPaymentDue, dueAt, tokenMint, wallet, wasPaid } = row
    const terms = row.policyType?.startsWith(SUBSCRIPTION) ? termsOf(row.policyType) : null
    if (terms?.kind !== 'subscription' && row.times < 2n) continue
    const isSteady =
      row.live &&
      row.unchanged &&
      status === 'active' &&
      row.times === 1n &&
      terms?.kind === 'subscription' &&
      // Payments can end a subscription that has a last renewal.
      terms.maxRenewals === null
    if (!isSteady) changing.set(address, { tokenMint, wallet, wasPaid })
    if (!row.live || terms?.kind !== 'subscription') continue
    living.push({
      address,
      tokenMint,
      wallet,
      wasPaid,
      status,
      createdAt,
      nextPaymentDue,
      dueAt,
      terms,
      isSteady,
    })
  }
  return { living, changing }
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
