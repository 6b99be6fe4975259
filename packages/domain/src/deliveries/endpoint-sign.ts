// What the result of a request says of its endpoint. Anybody can write any memo, so anybody can make a gateway's endpoint
// refuse messages: a refusal says something of its message alone.

export type EndpointSign =
  /** 2xx */
  | 'success'
  /** the endpoint refuses this message, and answers */
  | 'refusal'
  /** the endpoint does not answer, is overloaded or has an error */
  | 'failure'

/** Statuses below 500 that say something of the endpoint: request timeout, too early, too many requests. */
const FAILURES = new Set([408, 425, 429])

/** @param statusCode null: the request got no answer */
export function endpointSign(statusCode: number | null): EndpointSign {
  if (statusCode === null || statusCode >= 500 || FAILURES.has(statusCode)) return 'failure'
  return statusCode >= 200 && statusCode < 300 ? 'success' : 'refusal'
}
