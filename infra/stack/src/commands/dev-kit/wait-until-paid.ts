import type { GatewaySession } from './gateway-session.js'
import { poll } from './poll.js'

/**
 * Waits until an expectation is paid, for 10 s at most. A retraction that comes while stored payments are still being counted reopens
 * nothing.
 */
export const waitUntilPaid = (
  session: GatewaySession,
  gateway: string,
  trackingId: string,
): Promise<boolean> =>
  poll(
    async () => {
      const path = `/v1/gateway/${gateway}/expectations?trackingId=${encodeURIComponent(trackingId)}`
      const found = await session.ask<{ state: string }[]>('GET', path)
      return found.some(({ state }) => state === 'paid')
    },
    { everyMs: 200, patienceMs: 10_000 },
  )
