import { setTimeout as sleep } from 'node:timers/promises'

export interface WaitOptions {
  /** What is waited for, as the error will say it. */
  what?: string
  timeoutMs?: number
  intervalMs?: number
}

/**
 * Waits until the condition holds, however slow the machine is: no test sleeps for a guessed time.
 * @param condition anything but undefined, null and false counts as holding; an exception as not yet
 * @returns what the condition returned
 * @throws Error saying what did not come about, with the last exception as its cause
 */
export async function waitFor<T>(
  condition: () => T | Promise<T>,
  { what = 'the condition', timeoutMs = 30_000, intervalMs = 20 }: WaitOptions = {},
): Promise<Exclude<T, undefined | null | false>> {
  const end = Date.now() + timeoutMs
  let cause: unknown
  for (;;) {
    try {
      const value = await condition()
      if (value !== undefined && value !== null && value !== false) {
        return value as Exclude<T, undefined | null | false>
      }
      cause = undefined
    } catch (error) {
      cause = error
    }
    if (Date.now() > end) {
      throw new Error(`${what} did not come about within ${timeoutMs} ms`, cause ? { cause } : undefined)
    }
    await sleep(intervalMs)
  }
}
