import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Does pages until none is left, or until `stop`. After each page others get as much time as the page took, so that at most half
 * of Postgres' time goes to such work.
 * @param page resolves with false when no page follows
 */
export async function pageByPage(stop: AbortSignal, page: () => Promise<boolean>): Promise<void> {
  while (!stop.aborted) {
    const startedAt = performance.now()
    if (!(await page())) return
    await sleep(performance.now() - startedAt)
  }
}
