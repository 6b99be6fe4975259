// From when on what the service says of its own delays is late.
/** What waits longer is late. In normal work nothing waits for more than moments. */
const LATE_SECONDS = 20

export interface Late {
  /** whether the service knows how late payments are */
  isKnown: boolean
  /** since when payments wait to be stored, in milliseconds; null where they do not */
  paymentsSince: number | null
  /** since when deliveries wait to be sent */
  deliveriesSince: number | null
}

export interface Delays {
  payments: number | null
  deliveries: number | null
}

/** @param nowMs when the delays were read */
export const lateOf = ({ payments, deliveries }: Delays, nowMs: number): Late => {
  const since = (seconds: number | null) =>
    seconds !== null && seconds > LATE_SECONDS ? nowMs - seconds * 1_000 : null
  return { isKnown: payments !== null, paymentsSince: since(payments), deliveriesSince: since(deliveries) }
}
