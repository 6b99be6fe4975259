import { setTimeout as sleep } from 'node:timers/promises'
import { readExpectation } from '@payment-tracking/store/reads'
import { type ReadExpectation, type Store } from '@payment-tracking/store/core'

const CHECK_EVERY_MS = 100
/** Ingest looks for work every 500 ms. */
const WAIT_MS = 2_000

/**
 * Waits until ingest has counted the payments that were stored before an expectation: at most 2 s, and without a connection to
 * Postgres.
 * @param signal ends the wait
 * @returns what is known then
 * @throws the reason of the signal
 */
export async function waitUntilCounted(
  store: Store,
  id: string,
  signal: AbortSignal,
): Promise<ReadExpectation> {
  const untilMs = performance.now() + WAIT_MS
  for (;;) {
    const known = (await readExpectation(store, id))!
    if (!known.counting || performance.now() > untilMs) return known
    await sleep(CHECK_EVERY_MS, undefined, { signal }).catch(() => signal.throwIfAborted())
  }
}
