// AbortSignals of those who wait for a read.

/** Resolves as the work does. @throws the reason of the signal as soon as it aborts: the work goes on alone */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(signal.reason as Error)
    signal.addEventListener('abort', giveUp)
    if (signal.aborted) giveUp()
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp))
  })
}

/** A signal that aborts once all of them have. @returns undefined when one of them is undefined: it never aborts */
export function whenAllAbort(signals: readonly (AbortSignal | undefined)[]): AbortSignal | undefined {
  if (signals.includes(undefined)) return undefined
  if (signals.length === 1) return signals[0]
  const controller = new AbortController()
  let left = signals.length
  const note = ({ reason }: AbortSignal) => {
    if (--left === 0) controller.abort(reason)
  }
  for (const signal of signals as AbortSignal[]) {
    if (signal.aborted) note(signal)
    else signal.addEventListener('abort', () => note(signal), { once: true })
  }
  return controller.signal
}
