/** Joins single calls into sets. */
export interface Gatherer<I, O> {
  add(item: I): Promise<O>
}

interface Waiting<I, O> {
  item: I
  resolve: (output: O) => void
  reject: (error: unknown) => void
}

/**
 * While a set is on its way, what comes meanwhile is the next set: a lone item goes at once, and under load the
 * sets grow by themselves. Grouping is what lets one worker write two rows a delivery at thousands a second.
 * @param run gets between 1 and `limit` items and answers one output for each, in their order
 * @param limits.lanes sets that may be on their way together
 */
export function gather<I, O>(
  run: (items: I[]) => Promise<O[]>,
  limits: { limit: number; lanes: number },
): Gatherer<I, O> {
  const waiting: Waiting<I, O>[] = []
  let running = 0
  let scheduled = false

  const send = async (set: Waiting<I, O>[]): Promise<void> => {
    try {
      const outputs = await run(set.map(({ item }) => item))
      set.forEach(({ resolve }, index) => resolve(outputs[index] as O))
    } catch (error) {
      for (const { reject } of set) reject(error)
    } finally {
      running--
      if (waiting.length > 0) flush()
    }
  }

  const flush = (): void => {
    scheduled = false
    while (running < limits.lanes && waiting.length > 0) {
      running++
      void send(waiting.splice(0, limits.limit))
    }
  }

  return {
    add: item =>
      new Promise((resolve, reject) => {
        waiting.push({ item, resolve, reject })
        // Until the end of this turn of the event loop: what arrives together goes together.
        if (!scheduled && running < limits.lanes) {
          scheduled = true
          setImmediate(flush)
        }
      }),
  }
}
