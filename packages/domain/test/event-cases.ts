// The least data of each event, and what the event does.
import { keyOf, memoOf, PAYMENT, POLICY_CREATED, type Members } from './messages.js'

export const memoOf32 = (text: string): number[] => memoOf(text).slice(0, 32)

export const COMPOSABLE_CREATED: Members = {
  composable_policy: keyOf(1),
  user_payment: keyOf(3),
  recipient: keyOf(4),
  gateway: keyOf(2),
  policy_id: 1,
  policy_type: { UpTo: { max_amount: '9', valid_after: '-1', deadline: 1769871897, padding: [0] } },
  memo: memoOf32('order-1'),
  forward_config: { input_mint: keyOf(6) },
}
export const EXECUTED: Members = {
  composable_policy: keyOf(1),
  gateway: keyOf(2),
  input_amount: '18446744073709551615',
  recipient: keyOf(4),
  timestamp: '1769871897',
  record_id: 1,
}

/** What each event must carry at least, and what it then does. */
export const EVENTS: Record<string, { data: Members; effect: Members; filters?: Members }> = {
  PaymentRecord: {
    data: PAYMENT,
    effect: {
      kind: 'payment',
      policy: keyOf(1),
      gateway: keyOf(2),
      amount: 1000n,
      paidAt: 1769871897n,
      recordId: 1,
      recipient: null,
      payer: null,
      tokenMint: null,
      tracksPolicy: false,
    },
    filters: { gateway: keyOf(2), paymentPolicy: keyOf(1), trackingId: 'order-1' },
  },
  ComposablePolicyCreated: {
    data: COMPOSABLE_CREATED,
    effect: {
      kind: 'policy-created',
      policy: keyOf(1),
      family: 'composable',
      tokenMint: keyOf(6),
      userPayment: keyOf(3),
      recipient: keyOf(4),
      gateway: keyOf(2),
      policyId: 1,
      policyType: { name: 'UpTo', text: '{"UpTo":{"deadline":1769871897,"max_amount":9,"valid_after":-1}}' },
      memo: null,
    },
    filters: {
      gateway: keyOf(2),
      paymentPolicy: keyOf(1),
      userPayment: keyOf(3),
      recipient: keyOf(4),
      trackingId: 'order-1',
    },
  },
  ComposableExecuted: {
    data: EXECUTED,
    effect: {
      kind: 'payment',
      policy: keyOf(1),
      gateway: keyOf(2),
      amount: 18446744073709551615n,
      paidAt: 1769871897n,
      recordId: 1,
      recipient: keyOf(4),
      payer: null,
      tokenMint: null,
      tracksPolicy: true,
    },
    filters: { gateway: keyOf(2), paymentPolicy: keyOf(1), recipient: keyOf(4) },
  },
  ComposablePolicyStatusChanged: {
    data: { composable_policy: keyOf(1), new_status: { variant: 'Completed' } },
    effect: { kind: 'policy-status-changed', policy: keyOf(1), newStatus: 'Completed' },
    filters: { paymentPolicy: keyOf(1) },
  },
  ComposablePolicyDeleted: {
    data: { composable_policy: keyOf(1) },
    effect: { kind: 'policy-deleted', policy: keyOf(1) },
    filters: { paymentPolicy: keyOf(1) },
  },
  PaymentPolicyStatusChanged: {
    data: { payment_policy: keyOf(1), new_status: { variant: 'Paused' } },
    effect: { kind: 'policy-status-changed', policy: keyOf(1), newStatus: 'Paused' },
    filters: { paymentPolicy: keyOf(1) },
  },
  PaymentPolicyDeleted: {
    data: { payment_policy: keyOf(1) },
    effect: { kind: 'policy-deleted', policy: keyOf(1) },
    filters: { paymentPolicy: keyOf(1) },
  },
  UserPaymentDeleted: {
    data: { user_payment: keyOf(3) },
    effect: { kind: 'user-payment-deleted', userPayment: keyOf(3) },
    filters: { userPayment: keyOf(3) },
  },
  PaymentGatewayDeleted: {
    data: { gateway: keyOf(2) },
    effect: { kind: 'gateway-deleted', gateway: keyOf(2) },
    filters: { gateway: keyOf(2) },
  },
  GatewaySignerChanged: {
    data: { gateway: keyOf(2), new_signer: keyOf(8) },
    effect: { kind: 'gateway-signer-changed', gateway: keyOf(2), signer: keyOf(8) },
    filters: { gateway: keyOf(2) },
  },
  GatewayFeeBpsChanged: {
    data: { gateway: keyOf(2) },
    effect: { kind: 'none' },
    filters: { gateway: keyOf(2) },
  },
  GatewayFeeRecipientChanged: {
    data: { gateway: keyOf(2) },
    effect: { kind: 'none' },
    filters: { gateway: keyOf(2) },
  },
  ProgramConfigCreated: { data: {}, effect: { kind: 'none' } },
  SomethingNew: { data: {}, effect: { kind: 'none' } },
}
/** The same for the three that open an account, whose address they do not carry. */
export const CREATED: Record<string, Members> = {
  PaymentPolicyCreated: POLICY_CREATED,
  UserPaymentCreated: { owner: keyOf(5), token_mint: keyOf(6) },
  PaymentGatewayCreated: { authority: keyOf(7) },
}
