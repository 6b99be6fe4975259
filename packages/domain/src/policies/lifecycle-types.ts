// Types of webhook messages on what happens to a policy beside its payments.

/** What the chain says of a policy. */
export const CHAIN_LIFECYCLE_TYPES = [
  'subscription.created',
  'subscription.paused',
  'subscription.resumed',
  'subscription.completed',
  'subscription.deleted',
] as const
/** What no event of the chain says: time has passed. */
export const DUE_LIFECYCLE_TYPES = [
  'subscription.due_soon',
  'subscription.overdue',
  'subscription.expired',
] as const
/** What the nodes see of the accounts that a due payment needs. */
export const RISK_LIFECYCLE_TYPES = ['subscription.at_risk', 'subscription.at_risk_cleared'] as const
export const LIFECYCLE_TYPES = [
  ...CHAIN_LIFECYCLE_TYPES,
  ...DUE_LIFECYCLE_TYPES,
  ...RISK_LIFECYCLE_TYPES,
] as const
export type LifecycleType = (typeof LIFECYCLE_TYPES)[number]

/** What a gateway's other webhooks are notified of. */
export const NOTICE_TYPES = ['webhook.failing', 'webhook.deactivated'] as const
export type NoticeType = (typeof NOTICE_TYPES)[number]
