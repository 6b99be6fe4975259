import { NO_POLICY, type ModelPayment } from '@payment-tracking/testkit/oracle'

/** What sockets and webhooks say of a payment, whatever else is known. */
export const detailsOf = ({ event, policy, gateway, amount }: ModelPayment) => ({
  signature: event.signature,
  slot: event.slot,
  gateway,
  paymentPolicy: policy ?? NO_POLICY,
  recordId: event.data.record_id,
  amountString: String(amount),
})
