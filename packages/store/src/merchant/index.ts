export * from './find-payments.js'
export * from './find-subscribers.js'
export {
  countMerchantPolicies,
  listMerchantPolicies,
  listPoliciesWithDueDates,
  MOST_DUE_POLICIES,
  type MerchantPolicy,
  type PolicyWithDueDates,
} from './list-merchant-policies.js'
export { listSubscribers, readSubscribers, type Subscriber, type SubscriberPage } from './list-subscribers.js'
export { countPayersByToken } from './payers.js'
export * from './read-cohorts.js'
export * from './read-subscriptions.js'
export * from './read-volume.js'
export * from './replay-subscriptions.js'
export { sumAtRisk, type SumsAtRisk } from './sum-at-risk.js'
export { sumDueDates, type DueSums } from './sum-due-dates.js'
export {
  SUBSCRIBER_STATES,
  type CustomerRules,
  type StateClock,
  type SubscriberState,
} from './subscriber-state.js'
export { ENTRY_TYPES } from './timeline/entries.js'
export * from './timeline/read-timeline.js'
