// Timers of pods and clients in a trace, which has no times: what a pod puts off waits for its step, and a client comes back
// at once.

/** How long a pod waits for payments in flight before it heals. */
const HEALING_MS = 300
/** Between these, a client waits before it connects again. */
const RECONNECT_MS = [400, 1_600] as const

export function holdTimers() {
  const real = globalThis.setTimeout
  const held = new Map<number, (() => void)[]>()
  const timers = {
    /** the pod whose code runs */
    running: 0,
    /** The next timer never fires. */
    dropNext: false,
    /** Fires what a pod has put off, and what that puts off in turn. */
    fire(pod: number) {
      const waiting = held.get(pod) ?? []
      held.delete(pod)
      for (const fire of waiting) fire()
    },
    forget: (pod: number) => void held.delete(pod),
    restore() {
      globalThis.setTimeout = real
    },
  }
  const never = () => {
    const timer = real(() => {}, 0)
    clearTimeout(timer)
    return timer
  }
  globalThis.setTimeout = ((fire: () => void, delayMs: number, ...rest: []) => {
    if (timers.dropNext) {
      timers.dropNext = false
      return never()
    }
    if (delayMs === HEALING_MS) {
      held.set(timers.running, [...(held.get(timers.running) ?? []), fire])
      return never()
    }
    const [least, most] = RECONNECT_MS
    return real(fire, delayMs >= least && delayMs <= most ? 1 : delayMs, ...rest)
  }) as typeof globalThis.setTimeout
  return timers
}

export type HeldTimers = ReturnType<typeof holdTimers>
