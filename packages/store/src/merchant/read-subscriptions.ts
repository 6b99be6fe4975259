// The subscriptions of a gateway, from one statement: figures of today, overdue subscriptions and past figures all start
// from these rows.
import { readPolicyTerms, type PolicyTerms } from '@payment-tracking/domain'
import type { Store } from '../database/open-store.js'
import { sql } from '../database/sql.js'
import { IS_POLICY_CREATED } from '../rows/payment-names.js'

type SubscriptionTerms = Extract<PolicyTerms, { kind: 'subscription' }>

/** What the row of a policy says about who pays, and in which token. */
export interface PolicyPayer {
  tokenMint: string | null
  /** null while its user payment is not known */
  wallet: string | null
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

export interface GatewaySubscriptions {
  living: LivingSubscription[]
  /** by address, the policies of which only events say when they were subscriptions and active */
  changing: Map<string, PolicyPayer>
}

interface Row extends Omit<LivingSubscription, 'terms' | 'isSteady'> {
  living: boolean
  unchanged: boolean
  policyType: string
}

/**
 * Relies on policies_gateway_live and policies_gateway_gone, events_gateway_rare, and one probe of user_payments for each
 * policy. A policy that belongs to another gateway now is read by its key, for its past with this gateway. Reads no
 * payments.
 */
export async function readSubscriptions({ database }: Store, gateway: string): Promise<GatewaySubscriptions> {
  const columns = sql`p.address, p.user_payment, p.token_mint, p.policy_type, p.live, p.status, p.created_at,
    p.next_payment_due, p.due_at, p.deleted_order is null and p.status_order is null as unchanged`
  const rows = await database.read<Row>(sql`
    with own as (
      select ${columns} from policies p where p.gateway = ${gateway} and p.live
      union all
      select ${columns} from policies p where p.gateway = ${gateway} and not p.live
    ), created as (
      select e.payment_policy as address, count(*) as times
        from events e
       where e.gateway = ${gateway} and ${IS_POLICY_CREATED} and e.name <> 'PaymentRecord' and e.retracted_at is null
       group by 1
    ), left_since as materialized (
      select address, times from created c where not exists (select from own where own.address = c.address)
    ), known as (
      select own.*, true as own, c.times from own left join created c on c.address = own.address
      union all
      select p.*, false, l.times from left_since l
       cross join lateral (select ${columns} from policies p where p.address = l.address offset 0) p
    )
    select k.address, t.living, t.living and k.status = 'active' and k.times = 1 and k.unchanged as unchanged, k.status,
           k.created_at as "createdAt", k.next_payment_due as "nextPaymentDue", k.due_at as "dueAt",
           k.policy_type::text as "policyType", coalesce(k.token_mint, u.token_mint) as "tokenMint", u.owner as wallet
      from known k
      left join user_payments u on u.address = k.user_payment
     cross join lateral (select coalesce(k.policy_type::text like '{"Subscription"%', false) as subscription) s
     cross join lateral (select k.own and k.live and s.subscription as living) t
     where s.subscription or not k.own or k.times > 1`)
  const termsOf = buildTermsReader()
  const living: LivingSubscription[] = []
  const changing = new Map<string, PolicyPayer>()
  for (const row of rows) {
    const { address, status, createdAt, nextPaymentDue, dueAt, tokenMint, wallet } = row
    const terms = row.living ? termsOf(row.policyType) : null
    // Payments can end a subscription that has a last renewal.
    const isSteady = row.unchanged && terms?.kind === 'subscription' && terms.maxRenewals === null
    if (!isSteady) changing.set(address, { tokenMint, wallet })
    if (terms?.kind !== 'subscription') continue
    living.push({ address, tokenMint, wallet, status, createdAt, nextPaymentDue, dueAt, terms, isSteady })
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
