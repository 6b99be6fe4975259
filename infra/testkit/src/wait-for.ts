import { setTimeout as sleep } from 'node:timers/promises'

export interface WaitOptions {
  /** What is waited for, as the error will say it. */
  what?: string
  timeoutMs?: number
  intervalMs?: number
  /** A condition that was asked in time may answer this much later. */
  answerMs?: number
}

/**
 * Waits until the condition holds, however slow the machine is: no test sleeps for a guessed time.
 * @param condition anything but undefined, null and false counts as holding; an exception as not yet
 * @returns what the condition returned
 * @throws Error saying what did not come about, with the last exception as its cause; also when a condition never answers
 */
export async function waitFor<T>(
  condition: () => T | Promise<T>,
  { what = 'the condition', timeoutMs = 30_000, intervalMs = 20, answerMs = 30_000 }: WaitOptions = {},
): Promise<Exclude<T, undefined | null | false>> {
  const end = Date.now() + timeoutMs
  let cause: unknown
  for (;;) {
    try {
      const value = await answerBefore(end + answerMs, condition())
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

/** Otherwise a question without an answer would end with the time of the whole test file, and nobody would learn which. */
async function answerBefore<T>(end: number, answer: T | Promise<T>): Promise<T> {
  if (!(answer instanceof Promise)) return answer
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('the question was never answered')), end - Date.now())
  })
  try {
    return await Promise.race([answer, late])
  } finally {
    clearTimeout(timer)
  }
}
