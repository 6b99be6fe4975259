import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Looks again and again until `look` finds what it looks for.
 * @returns false when it did not within `patienceMs`
 */
export async function poll(
  look: () => Promise<boolean>,
  { everyMs, patienceMs }: { everyMs: number; patienceMs: number },
): Promise<boolean> {
  const deadline = performance.now() + patienceMs
  while (performance.now() < deadline) {
    if (await look()) return true
    await sleep(everyMs)
  }
  return false
}
