import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Whether work that needs no other process ends before a timer that began before it. Both run in this process, so a busy
 * machine delays both: this judges an order, not a time.
 */
export async function endsBeforeTimer(timerMs: number, work: () => Promise<unknown>): Promise<boolean> {
  const stop = new AbortController()
  const timer = sleep(timerMs, false, { signal: stop.signal })
  try {
    return await Promise.race([timer, work().then(() => true)])
  } finally {
    stop.abort()
    await timer.catch(() => {})
  }
}
