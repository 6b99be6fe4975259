// The policies that a wallet has or had with a gateway.
import { readPolicyTerms, type ChainOrder, type PolicyTerms } from '@payment-tracking/domain'
import { sql, type Store } from '../../../core/database/sql.js'
import { readStored, STORED_COLUMNS, type StoredRow } from '../../../core/tables/stored-events.js'

/** The time of a policy from its creation on. */
export interface PolicyLife {
  createdMs: number
  /** the order of its Created event */
  start: ChainOrder
  terms: PolicyTerms
  trackingId: string | null
  tokenMint: string | null
}

export interface PolicyLives {
  /** by address, the newest policy first; the lives of each the oldest first */
  policies: Map<string, PolicyLife[]>
  /** false: the wallet has more policies */
  complete: boolean
}

/** User payments of a wallet, Created events of each, and policies that are looked at: the newest. */
const MOST_ACCOUNTS = 100
const MOST_CREATED = 1_000
const MOST_POLICIES = 200

/**
 * Reads what created policies of a wallet with this gateway; an address can be another gateway's today. Relies on
 * user_payments by owner and events_user_payment_rare.
 */
export async function readLives(
  { database }: Pick<Store, 'database'>,
  { gateway, wallet, programId }: { gateway: string; wallet: string; programId: string },
): Promise<PolicyLives> {
  const rows = await database.read<
    StoredRow & { policy: string; trackingId: string | null; tokenMint: string | null }
  >(sql`
    select ${STORED_COLUMNS}, e.payment_policy as policy, e.tracking_id as "trackingId", u.token_mint as "tokenMint"
      from (select address, token_mint from user_payments where owner = ${wallet} limit ${MOST_ACCOUNTS}) u
     cross join unnest(array['PaymentPolicyCreated', 'ComposablePolicyCreated']) as n (name)
     cross join lateral (
       select * from events e
        where e.user_payment = u.address and e.name = n.name and e.name <> 'PaymentRecord' and e.retracted_at is null
        order by e.occurred_at desc, e.slot desc, e.event_index desc, e.id desc limit ${MOST_CREATED}) e
     where e.gateway = ${gateway} and e.payment_policy is not null
     order by e.occurred_at desc, e.slot desc, e.event_index desc, e.id desc limit ${MOST_CREATED}`)
  const policies = new Map<string, PolicyLife[]>()
  for (const row of rows) {
    const { order, effect, occurredAt } = readStored(row, programId)
    if (effect.kind !== 'policy-created') continue
    const life: PolicyLife = {
      createdMs: occurredAt.getTime(),
      start: order,
      terms: readPolicyTerms(effect.policyType.text),
      trackingId: row.trackingId,
      tokenMint: effect.tokenMint ?? row.tokenMint,
    }
    const lives = policies.get(row.policy)
    if (lives) lives.unshift(life)
    else if (policies.size < MOST_POLICIES) policies.set(row.policy, [life])
    else return { policies, complete: false }
  }
  return { policies, complete: rows.length < MOST_CREATED }
}
