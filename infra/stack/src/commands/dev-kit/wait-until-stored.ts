import { setTimeout as sleep } from 'node:timers/promises'

const POLL_MS = 50
const PATIENCE_MS = 30_000

/**
 * Asks REST until an event of the transaction is stored.
 * @throws Error after 30 s, which names where to look
 */
export async function waitUntilStored(baseUrl: string, signature: string): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS
  while (Date.now() < deadline) {
    const response = await fetch(`${baseUrl}/v1/events?signature=${signature}`).catch(() => undefined)
    if (response?.ok && ((await response.json()) as unknown[]).length > 0) return
    await sleep(POLL_MS)
  }
  throw new Error(
    `the transaction ${signature} was published but is not stored after ${PATIENCE_MS / 1_000} s: ` +
      'look for it among the dead letters of the ops dashboard',
  )
}
