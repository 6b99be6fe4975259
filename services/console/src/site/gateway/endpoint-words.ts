// The words for an endpoint's answers, and for the reason why a delivery failed or waits. All pages use them.
import type { Schemas } from '@payment-tracking/client'

export type Endpoint = Schemas['Webhook']

/** `99.2 % of 125 requests`, by what the service counts. Rounded down: 100 % is all of them. */
export function acceptedWords(accepted: number, requests: number): string {
  if (requests === 0) return 'no request'
  const percent = (Math.floor((accepted / requests) * 1_000) / 10).toFixed(1)
  return `${percent} % of ${requests.toLocaleString('en-US')} ${requests === 1 ? 'request' : 'requests'}`
}

/** The newest answer where it was a failure: `HTTP 500`, `timeout` … */
export const failureOf = ({ lastAnswer }: Pick<Endpoint, 'lastAnswer'>): string | null =>
  lastAnswer === null || lastAnswer.accepted ? null : lastAnswer.answer

/** Why a delivery is held back. @param reason as the service stores it */
export const heldWords = (reason: string): string =>
  reason === 'breaker open' ? 'waits after failures' : reason

/**
 * The last error of a delivery, and the reason why it waits: `HTTP 500; waits after failures`.
 * @param failure of its endpoint: why those wait that were never tried themselves
 */
export function reasonWords(
  { lastError, heldReason }: Pick<Schemas['Delivery'], 'lastError' | 'heldReason'>,
  failure: string | null,
): string {
  const answer = lastError ?? (heldReason === 'breaker open' ? failure : null)
  return [answer, heldReason && heldWords(heldReason)].filter(Boolean).join('; ')
}
