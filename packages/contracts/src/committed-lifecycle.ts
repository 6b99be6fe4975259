/** What an event of the chain did to a policy beside a payment, as committed to Postgres. */
export interface CommittedLifecycle {
  /** `msg_…lifecycle`: the id of the webhooks' message too */
  id: string
  /** `subscription.created` and so on */
  type: string
  trackingId: string
  /** null is not known */
  recipient: string | null
  paymentPolicy: string
  /** the body's `data`, as JSON text */
  data: string
}
