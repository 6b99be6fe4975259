export interface CoalesceLimits {
  /** the most items of one run */
  maxItems: number
  /** how many runs may be under way at the same time; default: no limit */
  concurrency?: number
}

interface Waiting<I, O> {
  item: I
  resolve: (output: O) => void
  reject: (error: unknown) => void
}

/**
 * Turns concurrent calls for one item into one call for many. Calls of one tick of the event loop share a run, and
 * calls that arrive while the allowed number of runs is under way share the next run: a lone call does not wait, and
 * under load the runs grow by themselves. So one statement can serve hundreds of callers.
 * @param run receives between 1 and `maxItems` items and must answer one output for each, in the same order. If it
 *   rejects, every call of that run rejects.
 */
export function coalesce<I, O>(
  run: (items: I[]) => Promise<O[]>,
  { maxItems, concurrency = Infinity }: CoalesceLimits,
): (item: I) => Promise<O> {
  const waiting: Waiting<I, O>[] = []
  let running = 0
  let scheduled = false

  const start = async (calls: Waiting<I, O>[]): Promise<void> => {
    try {
      const outputs = await run(calls.map(({ item }) => item))
      calls.forEach(({ resolve }, index) => resolve(outputs[index] as O))
    } catch (error) {
      for (const { reject } of calls) reject(error)
    } finally {
      running--
      if (waiting.length > 0) flush()
    }
  }

  const flush = (): void => {
    scheduled = false
    while (running < concurrency && waiting.length > 0) {
      running++
      void start(waiting.splice(0, maxItems))
    }
  }

  return item =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      if (!scheduled && running < concurrency) {
        scheduled = true
        setImmediate(flush)
      }
    })
}
