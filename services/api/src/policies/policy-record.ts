import { Type, type Static } from 'typebox'
import type { StoredSubscription } from '@payment-tracking/store/reads'
import { PublicKey } from '../http/fields.js'
import { SubscriptionRecord, toSubscriptionRecord, type RecordParts } from './subscription-record.js'

/** A subscription record that also has the policy's address under the name that clients of the incumbent read. */
export const PolicyRecord = Type.Object(
  { ...SubscriptionRecord.properties, policyAccount: PublicKey('the same as `policyAddress`') },
  { title: 'PolicyRecord', description: 'A payment policy that exists on the chain.' },
)
export type PolicyRecord = Static<typeof PolicyRecord>

export const toPolicyRecord = (policy: StoredSubscription, parts: RecordParts): PolicyRecord => ({
  ...toSubscriptionRecord(policy, parts),
  policyAccount: policy.address,
})
