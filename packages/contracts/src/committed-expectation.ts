/** An expected payment whose state has changed, as committed to Postgres. */
export interface CommittedExpectation {
  id: string
  trackingId: string
  /** counts the changes of its state */
  changes: number
  /** the public record after the change, as JSON text */
  data: string
}
