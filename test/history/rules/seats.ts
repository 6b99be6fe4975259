// At no instant has a tracking ID more live connections than seats. A live connection is one that may still be sent to.
//
// A client sees a payment later than the service sends it, by the way through this process at most: that is the clocks'
// error, and `clockErrorMs` says how large it was at each moment. So of two payments, received at `first` and `second` by one
// connection, the first was sent before `first`, and the second not before `second` minus the error. A connection that loses
// its seat receives nothing for `handOverMs`; if the two were sent closer together, the connection was live all the time
// between them. More such connections at one instant than seats are one too many, whatever the clocks did. Where payments are
// further apart, or the error is larger, nothing is judged.
import type { Push, Stall } from '../entries.js'
import type { History } from '../history.js'
import { collect, type Violation } from './violation.js'

/** Two turns of the event loop, and the way through the kernel. */
const LEAST_ERROR_MS = 60
/** A frame may wait for a stall in the proxy, and for the next one in the client. */
const TURNS = 2
const LOOK_BACK_MS = 1_000

interface Live {
  trackingId: string
  connection: number
  fromMs: number
  toMs: number
  shown: readonly Push[]
}

export function seats(history: History): Violation[] {
  const limit = history.begin.seats
  return collect('never more connections than seats', add => {
    for (const [trackingId, intervals] of groupBy(liveIntervals(history), each => each.trackingId)) {
      const most = findMost(intervals)
      if (most.length > limit)
        add(
          `${trackingId} had more than ${limit} live connections at once`,
          most.slice(0, limit + 1).flatMap(({ shown }) => shown),
        )
    }
  })
}

/** For how long it was sure which connections were live, how many at most, and the largest error of the clocks. */
export function measureSeats(history: History): { judgedMs: number; most: number; clockErrorMs: number } {
  const all = liveIntervals(history)
  const stalls = stallsIn(history)
  const most = [...groupBy(all, each => each.trackingId).values()].map(list => findMost(list).length)
  return {
    judgedMs: Math.round(lengthOf(all)),
    most: Math.max(0, ...most),
    clockErrorMs: LEAST_ERROR_MS + TURNS * Math.max(0, ...stalls.map(({ forMs }) => forMs)),
  }
}

function liveIntervals(history: History): Live[] {
  const { handOverMs } = history.begin
  const error = clockErrors(stallsIn(history))
  const recent = new Map<string, Push[]>()
  const intervals: Live[] = []
  for (const entry of history.entries) {
    if (!('via' in entry) || entry.via !== 'socket' || entry.what !== 'payment') continue
    const { trackingId, connection, at } = entry
    const key = `${connection} ${trackingId}`
    const near = (recent.get(key) ?? []).filter(before => at - before.at + error(before.at) < handOverMs)
    const [first] = near
    const toMs = at - error(at)
    if (first && toMs > first.at)
      intervals.push({ trackingId, connection, fromMs: first.at, toMs, shown: [first, entry] })
    recent.set(key, [...near, entry])
  }
  return intervals
}

/** Milliseconds of connections that were surely live. */
function lengthOf(intervals: readonly Live[]): number {
  const coveredUntil = new Map<string, number>()
  let sum = 0
  for (const { connection, trackingId, fromMs, toMs } of intervals) {
    const key = `${connection} ${trackingId}`
    const until = coveredUntil.get(key) ?? 0
    sum += Math.max(0, toMs - Math.max(fromMs, until))
    coveredUntil.set(key, Math.max(until, toMs))
  }
  return sum
}

const stallsIn = ({ entries }: History): Stall[] => entries.filter(entry => entry.what === 'stall')

/** @returns by how much what was seen at a moment may have been sent earlier, in milliseconds */
function clockErrors(stalls: readonly Stall[]): (at: number) => number {
  let from = 0
  return at => {
    // Moments come in order, but for the first of a pair.
    while (from > 0 && stalls[from - 1]!.at >= at - LOOK_BACK_MS) from--
    while (from < stalls.length && stalls[from]!.at < at - LOOK_BACK_MS) from++
    let longest = 0
    for (let next = from; next < stalls.length && stalls[next]!.at - stalls[next]!.forMs <= at; next++)
      longest = Math.max(longest, stalls[next]!.forMs)
    return LEAST_ERROR_MS + TURNS * longest
  }
}

/** The intervals of as many connections as possible that have an instant in common. */
function findMost(intervals: readonly Live[]): Live[] {
  const edges = intervals
    .flatMap(live => [
      { at: live.fromMs, live, begins: true },
      { at: live.toMs, live, begins: false },
    ])
    .sort((a, b) => a.at - b.at || Number(a.begins) - Number(b.begins))
  const open = new Map<number, Live>()
  let most: Live[] = []
  for (const { live, begins } of edges) {
    if (begins) open.set(live.connection, live)
    else if (open.get(live.connection) === live) open.delete(live.connection)
    if (open.size > most.length) most = [...open.values()]
  }
  return most
}

function groupBy<Value>(values: readonly Value[], keyOf: (value: Value) => string): Map<string, Value[]> {
  const groups = new Map<string, Value[]>()
  for (const value of values) {
    const group = groups.get(keyOf(value))
    if (group) group.push(value)
    else groups.set(keyOf(value), [value])
  }
  return groups
}
