// Many clients ask for the same at the same time: the newest events, the count, the payment of one order.
import { unlessAborted, whenAllAbort } from './signals.js'

/** @param signal aborts when nobody waits for the work any more */
type Work<T> = (signal: AbortSignal | undefined) => Promise<T>

interface Next<T> {
  /** of those who wait; undefined for one who waits whatever happens */
  signals: (AbortSignal | undefined)[]
  result: Promise<T>
}

interface UnderWay<T> {
  /** settles with the work, and never rejects */
  ended: Promise<void>
  /** the work that begins then, for all who asked meanwhile */
  next: Next<T> | undefined
}

/**
 * Shares work among those who ask for the same. At most one of equal works is under way: who asks meanwhile shares the
 * next one, which begins when this one has ended. So each caller gets what began after its call, and a read knows all
 * that was committed before it was asked for. A lone caller waits for nobody.
 *
 * Bounded: one entry for each key that is under way. However many callers wait, they cost two works. A caller whose signal
 * aborts waits no longer, and a work for which nobody waits is aborted.
 */
export function shareEqual<T>(): (key: string, work: Work<T>, signal?: AbortSignal) => Promise<T> {
  const underWay = new Map<string, UnderWay<T>>()
  const start = (key: string, work: Work<T>, signal: AbortSignal | undefined): Promise<T> => {
    const result = work(signal)
    const end = () => {
      if (entry.next === undefined) underWay.delete(key)
    }
    const entry: UnderWay<T> = { ended: result.then(end, end), next: undefined }
    underWay.set(key, entry)
    return result
  }
  const plan = (key: string, work: Work<T>, { ended }: UnderWay<T>): Next<T> => {
    const signals: Next<T>['signals'] = []
    return { signals, result: ended.then(() => start(key, work, whenAllAbort(signals))) }
  }
  return (key, work, signal) => {
    const current = underWay.get(key)
    if (current === undefined) return start(key, work, signal)
    const next = (current.next ??= plan(key, work, current))
    next.signals.push(signal)
    return unlessAborted(next.result, signal)
  }
}
