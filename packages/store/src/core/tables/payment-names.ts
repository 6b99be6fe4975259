import { ALL_GATEWAYS } from '@payment-tracking/domain'
import { raw, sql, type Sql } from '../database/sql.js'

/** The names of payments, as a list of values: of a regular policy or without a policy, and of a composable policy. */
export const PAYMENT_NAMES = raw(`'PaymentRecord', 'ComposableExecuted'`)

/** An event `e` is a payment. */
export const IS_PAYMENT = sql`e.name in (${PAYMENT_NAMES})`

/** An event `e` is a valid payment of a gateway, or of any (`ALL_GATEWAYS`). */
export const isPaymentOf = (gateway: string): Sql =>
  gateway === ALL_GATEWAYS
    ? sql`${IS_PAYMENT} and e.retracted_at is null`
    : sql`e.gateway = ${gateway} and ${IS_PAYMENT} and e.retracted_at is null`

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
