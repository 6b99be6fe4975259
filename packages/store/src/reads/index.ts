export {
  findArchivedAfter,
  findArchivedEvent,
  findArchivedMonth,
  readArchivedUpTo,
} from './archive/find-archived.js'
export { type ClaimablePayment, listClaimablePayments } from './checkout/list-claimable-payments.js'
export { type ClaimFilter, listClaimablePolicies } from './checkout/list-claimable-policies.js'
export {
  EVENT_CURSORS,
  type EventKey,
  FEED_CURSOR,
  type FeedKey,
  POLICY_CURSOR,
  type PolicyKey,
  POSITION_CURSOR,
  type PositionKey,
} from './cursors.js'
export { listExpectations, readExpectation, readExpectationsById } from './expectations/list-expectations.js'
export { type FeedPage, type FeedQuery, readFeedPage } from './feed/read-feed-page.js'
export { type FeedMark, readFeedsSince } from './feed/read-feeds-since.js'
export { type CheckedPayments, checkPayments, MOST_CHECKED } from './lists/check-payments.js'
export { countEvents } from './lists/count-events.js'
export type { EventFilter } from './lists/event-filter.js'
export { isEventNameKnown, listEventNames } from './lists/list-event-names.js'
export { type EventRange, listEventsAfter, type StreamEvent } from './lists/list-events-after.js'
export { eventOrderOf, readEventPage } from './lists/list-events.js'
export {
  listOneTimePayments,
  readOneTimePage,
  type StoredOneTimePayment,
} from './lists/list-one-time-payments.js'
export {
  listSubscriptions,
  type StoredSubscription,
  type SubscriptionFilter,
} from './lists/list-subscriptions.js'
export { readFirstEvent, readSharedPosition } from './lists/read-first-event.js'
export { readKnownSince } from './lists/read-known-since.js'
export { readOverview, readPaymentDelays, type TokenSum } from './lists/read-overview.js'
export { type PaymentStats, readPaymentStats, type TokenStats } from './lists/read-payment-stats.js'
export {
  listTracedDeliveries,
  listTracedWaits,
  type PaymentTrace,
  readPaymentTrace,
  type TracedDelivery,
  type TracedWait,
} from './lists/read-payment-trace.js'
export type { RecordPage } from './lists/read-record-page.js'
export type { EventRecordField, OneTimePaymentField } from './lists/record-text.js'
export {
  findMerchantPayments,
  PAYMENT_ORDERS,
  PAYMENT_STANDINGS,
  type PaymentFilter,
  sumMerchantPayments,
} from './merchant/find-payments.js'
export { findSubscribers } from './merchant/find-subscribers.js'
export {
  countMerchantPolicies,
  listMerchantPolicies,
  listPoliciesWithDueDates,
  type DuePolicyPage,
  type MerchantPolicy,
  MOST_DUE_POLICIES,
  type PolicyWithDueDates,
} from './merchant/list-merchant-policies.js'
export { countPayersByToken, isCustomer } from './merchant/payers.js'
export { readSubscribers, type Subscriber } from './merchant/read-subscribers.js'
export { type PaidMonth, readPaidMonths } from './merchant/read-cohorts.js'
export {
  type GatewaySubscriptions,
  type LivingSubscription,
  readSubscriptions,
} from './merchant/read-subscriptions.js'
export { bucketEnd, type BucketSize, bucketStart, readLifeStart, readVolume } from './merchant/read-volume.js'
export { type ActiveSubscription, replaySubscriptions } from './merchant/replay-subscriptions.js'
export { type CustomerRules, type StateClock, SUBSCRIBER_STATES } from './merchant/subscriber-state.js'
export { sumAtRisk, type SumsAtRisk } from './merchant/sum-at-risk.js'
export { ENTRY_TYPES } from './merchant/timeline/entries.js'
export { readTimeline, type TimelinePage } from './merchant/timeline/read-timeline.js'
export { readPaymentsBySeq, type SeqRange } from './realtime/read-payments-by-seq.js'
export { readRecentRetractions, readRetractionsOf } from './realtime/read-retractions.js'
export { readEventTransactions, readTrackedPolicies } from './realtime/read-tracked-policies.js'
export { findStaleTrackings, readHeadsWithEpoch } from './realtime/read-tracking-heads.js'
export { rememberLeaseUse } from './realtime/remember-lease-use.js'
export { type Databases, openDatabases } from './replicas/open-databases.js'
export { openReads, type Reading, type Reads } from './replicas/open-reads.js'
export { dueOf, readCustomerDues, type CustomerDue } from './merchant/customer-dues.js'
export { SUBSCRIBER_ORDERS, type SubscriberOrder } from './merchant/sort-subscribers.js'
export { findAnything } from './search/find-anything.js'
export { FOUND_KINDS, type Seeker, type Sought } from './search/found.js'
export { findShortened } from './search/find-shortened.js'
