// Where the recipient, payer and mint of a payment `e` come from when its own event does not name them.
import { sql } from './database/sql.js'

/** One probe of policies and user_payments for each payment among `e`. */
export const PAYMENT_JOINS = sql`
  left join policies p on e.amount is not null and p.address = e.payment_policy
  left join user_payments u on u.address = p.user_payment`

/** The slot in which the latest incarnation of `p` began: the first 16 hexadecimal digits of its order. */
const INCARNATION_SLOT = sql`('x' || left(p.life_start, 16))::bit(64)::bigint`

/**
 * The recipient of a payment, over these joins. A recipient in the payment's own event wins.
 *
 * A payment belongs to the incarnation that the policy's latest Created event began, at the payment's place or before it.
 * A retracted Created event began no incarnation. Nearly every payment comes in a later slot than the latest Created
 * event, so the row of the policy knows the recipient. Any other payment takes one probe of events_policy_places.
 */
export const RECIPIENT = sql`
  case
    when e.recipient is not null or e.amount is null then e.recipient
    when e.slot > ${INCARNATION_SLOT} then p.recipient
    else (
      select c.recipient from events c
       where c.payment_policy = e.payment_policy
         and c.name in ('PaymentPolicyCreated', 'ComposablePolicyCreated') and c.retracted_at is null
         and (c.slot, c.transaction_index, c.event_index) <= (e.slot, e.transaction_index, e.event_index)
       order by c.slot desc, c.transaction_index desc, c.event_index desc, c.id desc
       limit 1
    )
  end`
/** The payer and the mint over the same joins. The payment's own fields win. */
export const PAYER = sql`coalesce(e.payer, u.owner)`
export const TOKEN_MINT = sql`coalesce(e.token_mint, p.token_mint, u.token_mint)`
