import { raw, sql } from '../database/sql.js'

/** An event `e` is a payment: of a regular policy, without a policy, or of a composable policy. */
export const IS_PAYMENT = sql`e.name in ('PaymentRecord', 'ComposableExecuted')`

/** An event `e` begins an incarnation of a policy. */
export const IS_POLICY_CREATED = sql`e.name in ('PaymentPolicyCreated', 'ComposablePolicyCreated')`

/** The events that a policy's state depends on beside its payments. */
export const POLICY_EVENTS = [
  'PaymentPolicyCreated',
  'PaymentPolicyDeleted',
  'PaymentPolicyStatusChanged',
  'ComposablePolicyCreated',
  'ComposablePolicyDeleted',
  'ComposablePolicyStatusChanged',
]

/** As in the conditions of events_policy_payments: a direct transfer has no policy. */
export const OF_POLICY = sql`e.amount is not null and e.payment_policy <> ${raw("'11111111111111111111111111111111'")}`
