import { poll } from './poll.js'

const PATIENCE_MS = 30_000

/**
 * Asks REST until an event of the transaction is stored.
 * @throws Error after 30 s, which names where to look
 */
export async function waitUntilStored(baseUrl: string, signature: string): Promise<void> {
  const isStored = async () => {
    const response = await fetch(`${baseUrl}/v1/events?signature=${signature}`).catch(() => undefined)
    return response?.ok === true && ((await response.json()) as unknown[]).length > 0
  }
  if (await poll(isStored, { everyMs: 50, patienceMs: PATIENCE_MS })) return
  throw new Error(
    `the transaction ${signature} was published but is not stored after ${PATIENCE_MS / 1_000} s: ` +
      'look for it among the dead letters of the ops dashboard',
  )
}
