import { sql } from '../database/sql.js'

/** An event `e` is a payment: of a regular policy, without a policy, or of a composable policy. */
export const IS_PAYMENT = sql`e.name in ('PaymentRecord', 'ComposableExecuted')`

/** An event `e` begins an incarnation of a policy. */
export const IS_POLICY_CREATED = sql`e.name in ('PaymentPolicyCreated', 'ComposablePolicyCreated')`
