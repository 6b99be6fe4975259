// One policy: its user payment, Created events and payments, at the places in the chain that their numbers say.
import type { Batch } from '@payment-tracking/store/ingest'
import { keyOf, PAYMENT, POLICY_CREATED } from '../../../packages/domain/test/messages.js'
import { batchOf, batchWith } from './chain-database.js'

export const LEARNED: Batch = batchWith(
  'UserPaymentCreated',
  { owner: keyOf(5), token_mint: keyOf(6) },
  200,
  0,
  200,
)
export const created = (order: number): Batch =>
  batchWith(
    'PaymentPolicyCreated',
    { ...POLICY_CREATED, user_payment: LEARNED.received[0]!.event.userPayment! },
    100 + order,
    order,
    100 + order,
  )
const POLICY = created(0).received[0]!.event.paymentPolicy!
export const paid = (order: number, amount = 1): Batch =>
  batchWith(
    'PaymentRecord',
    { ...PAYMENT, payment_policy: POLICY, record_id: order, amount: String(amount) },
    order,
    order,
    order,
  )
export const retracted = (order: number): Batch =>
  batchOf({ kind: 'retracted', tx: order, slot: order }, 500 + order)
export const createdRetracted = (order: number): Batch =>
  batchOf({ kind: 'retracted', tx: 100 + order, slot: order }, 600 + order)
