/** Whether an endpoint does its work, by the requests that it was sent. */
export type EndpointHealth = 'untried' | 'healthy' | 'failing' | 'off'
export const ENDPOINT_HEALTHS = ['untried', 'healthy', 'failing', 'off'] as const satisfies EndpointHealth[]

/** Requests of one hour that ended. */
export interface HourOfRequests {
  requests: number
  accepted: number
}

/** Fewer say nothing: one of two is a chance. */
const FEWEST_JUDGED = 5

/**
 * The one definition of an endpoint's health, for its list, its page, the overview, REST and operators: it fails where fewer than
 * half of its newest requests were accepted. The newest are those of the newest hours that hold at least five.
 * @param hours of the last 24, newest first
 */
export function endpointHealth(isActive: boolean, hours: readonly HourOfRequests[]): EndpointHealth {
  if (!isActive) return 'off'
  let [requests, accepted] = [0, 0]
  for (const hour of hours) {
    requests += hour.requests
    accepted += hour.accepted
    if (requests >= FEWEST_JUDGED) return 2 * accepted < requests ? 'failing' : 'healthy'
  }
  return requests === 0 ? 'untried' : 'healthy'
}
