// Where the recipient, payer and mint of a payment `e` come from when its own event does not name them.
import { sql } from './database/sql.js'

/**
 * A payment belongs to the incarnation of its policy's latest Created event at or before the payment's place. A
 * retracted Created event began no incarnation. One probe of policies, user_payments and events_policy_places for each
 * payment among `e`.
 */
export const PAYMENT_JOINS = sql`
  left join policies p on e.amount is not null and p.address = e.payment_policy
  left join user_payments u on u.address = p.user_payment
  left join lateral (
    select c.recipient from events c
     where c.payment_policy = e.payment_policy
       and c.name in ('PaymentPolicyCreated', 'ComposablePolicyCreated') and c.retracted_at is null
       and (c.slot, c.transaction_index, c.event_index) <= (e.slot, e.transaction_index, e.event_index)
     order by c.slot desc, c.transaction_index desc, c.event_index desc, c.id desc
     limit 1
  ) incarnation on e.amount is not null and e.recipient is null`

/** The columns over these joins. A payment's own fields win. */
export const RECIPIENT = sql`coalesce(e.recipient, incarnation.recipient)`
export const PAYER = sql`coalesce(e.payer, u.owner)`
export const TOKEN_MINT = sql`coalesce(e.token_mint, p.token_mint, u.token_mint)`
