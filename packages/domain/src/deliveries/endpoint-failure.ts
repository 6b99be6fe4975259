/** Statuses below 500 that say something of the endpoint: request timeout, too early, too many requests. */
const FAILURES = new Set([408, 425, 429])

/**
 * Whether the end of a request counts against its endpoint, for `webhook.failing` and the deactivation after five days. Anybody can
 * write any memo, so anybody can make an endpoint refuse messages: another refusal says something of its message alone
 * (contract.md section 4).
 * @param statusCode null: the request got no answer
 */
export const isEndpointFailure = (statusCode: number | null): boolean =>
  statusCode === null || statusCode >= 500 || FAILURES.has(statusCode)
