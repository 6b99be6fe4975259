import type { GatewaySession } from './gateway-session.js'
import { poll } from './poll.js'

/**
 * Waits until the gateway's webhooks were sent the events of a transaction. A retraction that comes earlier cancels the
 * delivery, and nobody is sent either. A webhook that is not sent anything is waited for 5 s.
 */
export const waitUntilSent = (session: GatewaySession, signature: string): Promise<boolean> =>
  poll(
    async () => {
      const path = `/v1/webhooks/deliveries?signature=${signature}`
      const deliveries = await session.ask<{ attempts: number }[]>('GET', path)
      return deliveries.every(({ attempts }) => attempts > 0)
    },
    { everyMs: 200, patienceMs: 5_000 },
  )
