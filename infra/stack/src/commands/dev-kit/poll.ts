import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Looks again and again until `look` finds what it looks for.
 * @returns false when it did not within `patienceMs`
 */
export async function poll(
  check: () => Promise<boolean>,
  { everyMs, patienceMs }: { everyMs: number; patienceMs: number },
): Promise<boolean> {
  const deadline = performance.now() + patienceMs
  while (performance.now() < deadline) {
    if (await check()) return true
    await sleep(everyMs)
  }
  return false
}
