import { Type, type Static } from 'typebox'
import type { StoredSubscription } from '@payment-tracking/store'
import { PublicKey } from '../http/fields.js'
import { SubscriptionRecord, toSubscriptionRecord } from './subscription-record.js'

/** A subscription record that also has the policy's address under the name that clients of the incumbent read. */
export const PolicyRecord = Type.Object(
  { ...SubscriptionRecord.properties, policyAccount: PublicKey('the same as `policyAddress`') },
  { title: 'PolicyRecord', description: 'A payment policy that exists on the chain.' },
)
export type PolicyRecord = Static<typeof PolicyRecord>

/** @param now Unix seconds. @param graceSeconds from the due date until a payment is overdue */
export const toPolicyRecord = (
  policy: StoredSubscription,
  now: number,
  graceSeconds: number,
): PolicyRecord => ({
  ...toSubscriptionRecord(policy, now, graceSeconds),
  policyAccount: policy.address,
})
