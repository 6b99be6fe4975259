/** An expected payment whose state or sum has changed, as committed to Postgres. */
export interface CommittedExpectation {
  id: string
  trackingId: string
  /** counts the changes of its state and its sum */
  changes: number
  /** a position at which the change is stored, in decimal digits; null where the clock or the gateway changed it */
  position: string | null
  /** the public record after the change, as JSON text */
  data: string
}
