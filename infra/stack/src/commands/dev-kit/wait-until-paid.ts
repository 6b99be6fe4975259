import { setTimeout as sleep } from 'node:timers/promises'
import type { GatewaySession } from './gateway-session.js'

const POLL_MS = 200
const PATIENCE_MS = 10_000

/** Waits until an expectation is paid: a retraction that comes while stored payments are still being counted reopens nothing. */
export async function waitUntilPaid(
  session: GatewaySession,
  gateway: string,
  trackingId: string,
): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS
  while (Date.now() < deadline) {
    const path = `/v1/gateway/${gateway}/expectations?trackingId=${encodeURIComponent(trackingId)}`
    const found = await session.ask<{ state: string }[]>('GET', path)
    if (found.some(({ state }) => state === 'paid')) return
    await sleep(POLL_MS)
  }
}
