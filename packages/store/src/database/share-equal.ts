// Many clients ask for the same at the same time: the newest events, the count, the payment of one order.

interface UnderWay<T> {
  /** settles with the work, and never rejects */
  ended: Promise<void>
  /** the work that begins then, for all who asked meanwhile */
  next: Promise<T> | undefined
}

/**
 * Shares work among those who ask for the same. At most one of equal works is under way: who asks meanwhile shares the
 * next one, which begins when this one has ended. So each caller gets what began after its call, and a read knows all
 * that was committed before it was asked for. A lone caller waits for nobody.
 *
 * Bounded: one entry for each key that is under way. However many callers wait, they cost two works.
 */
export function shareEqual<T>(): (key: string, work: () => Promise<T>) => Promise<T> {
  const underWay = new Map<string, UnderWay<T>>()
  const start = (key: string, work: () => Promise<T>): Promise<T> => {
    const result = work()
    const end = () => {
      if (entry.next === undefined) underWay.delete(key)
    }
    const entry: UnderWay<T> = { ended: result.then(end, end), next: undefined }
    underWay.set(key, entry)
    return result
  }
  return (key, work) => {
    const current = underWay.get(key)
    if (current === undefined) return start(key, work)
    return (current.next ??= current.ended.then(() => start(key, work)))
  }
}
