import { setTimeout as sleep } from 'node:timers/promises'
import type { GatewaySession } from './gateway-session.js'

const POLL_MS = 200
const PATIENCE_MS = 5_000

/**
 * Waits until the gateway's webhooks were sent the events of a transaction. A retraction that comes earlier cancels the
 * delivery, and nobody is sent either. A webhook that is not sent anything is waited for 5 s.
 */
export async function waitUntilSent(session: GatewaySession, signature: string): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS
  while (Date.now() < deadline) {
    const path = `/v1/webhooks/deliveries?signature=${signature}`
    const deliveries = await session.ask<{ attempts: number }[]>('GET', path)
    if (deliveries.every(({ attempts }) => attempts > 0)) return
    await sleep(POLL_MS)
  }
}
