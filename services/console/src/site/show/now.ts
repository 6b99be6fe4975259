// One clock for every relative time of the page: a timer for each would wake the browser hundreds of times.
import { useSyncExternalStore } from 'react'

const EVERY_MS = 5_000
const listeners = new Set<() => void>()
let now = Date.now()
let timer: ReturnType<typeof setInterval> | undefined

function tick(): void {
  // Nobody reads a hidden page; the next tick after it is shown brings it up to date.
  if (document.hidden) return
  now = Date.now()
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  timer ??= setInterval(tick, EVERY_MS)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/** Unix milliseconds, anew every five seconds. */
export const useNow = (): number => useSyncExternalStore(subscribe, () => now)
