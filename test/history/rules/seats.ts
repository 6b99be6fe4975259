// At no instant has a tracking ID more live connections than seats. A live connection is one that may still be sent to.
//
// A client sees a payment later than the service sends it. The difference is at most the delay of this process, which
// `clockErrors` gives for each moment. So the service sent a payment between its arrival minus that error and its arrival.
//
// A connection that loses its seat receives nothing for `handOverMs`. So a connection is live for as long as its payments
// come closer together than `handOverMs`. Such a time is a run. One connection is too many in each of two cases:
//
// - At one instant there are more runs than seats. No error of the clocks can cause this.
// - A connection receives two payments. For each, as many other connections as there are seats have runs, and these last for
//   the whole time in which the payment can have been sent. One payment proves nothing: a paused pod sends one when it wakes.
//
// Where payments are further apart, or the error is larger, nothing is judged.
import type { Push, Stall } from '../entries.js'
import type { History } from '../history.js'
import { collect, type Violation } from './violation.js'

/** Two turns of the event loop, and the way through the kernel. */
const LEAST_ERROR_MS = 60
/** A frame may wait for a stall in the proxy, and for the next one in the client. */
const TURNS = 2
const BACK_MS = 1_000

interface Run {
  connection: number
  /** From when to when the connection was live for sure. */
  fromMs: number
  toMs: number
  pushes: readonly Push[]
}

type ErrorAt = (at: number) => number

export function seats(history: History): Violation[] {
  const { seats: limit, handOverMs } = history.begin
  const error = clockErrors(stallsIn(history))
  return collect('never more connections than seats', add => {
    for (const [trackingId, runs] of runsIn(history)) {
      const subject = `${trackingId} had more than ${limit} live connections at once`
      const { atMs, most } = findMost(runs)
      if (most.length > limit) add(subject, shownAt(most.slice(0, limit + 1), atMs, handOverMs))
      const late = findTooMany(runs, limit, error)
      if (late)
        add(subject, [
          ...late.pushes,
          ...late.pushes.flatMap(({ at }) => shownAt(late.others, at, handOverMs)),
        ])
    }
  })
}

/** For how long it was sure which connections were live, how many at most, and the largest error of the clocks. */
export function measureSeats(history: History): { judgedMs: number; most: number; clockErrorMs: number } {
  const all = [...runsIn(history).values()]
  return {
    judgedMs: Math.round(all.flat().reduce((sum, { fromMs, toMs }) => sum + Math.max(0, toMs - fromMs), 0)),
    most: Math.max(0, ...all.map(runs => findMost(runs).most.length)),
    clockErrorMs: LEAST_ERROR_MS + TURNS * Math.max(0, ...stallsIn(history).map(({ forMs }) => forMs)),
  }
}

/** The runs of each tracking ID. */
function runsIn(history: History): Map<string, Run[]> {
  const { handOverMs } = history.begin
  const error = clockErrors(stallsIn(history))
  const open = new Map<string, Run & { pushes: Push[] }>()
  const runs = new Map<string, Run[]>()
  for (const entry of history.entries) {
    if (!('via' in entry) || entry.via !== 'socket' || entry.what !== 'payment') continue
    const { trackingId, connection, at } = entry
    const key = `${connection} ${trackingId}`
    const run = open.get(key)
    const last = run?.pushes.at(-1)
    if (run && last && at - last.at + error(last.at) < handOverMs) {
      run.pushes.push(entry)
      run.toMs = at - error(at)
      continue
    }
    const begun = { connection, fromMs: at, toMs: at - error(at), pushes: [entry] }
    open.set(key, begun)
    const list = runs.get(trackingId)
    if (list) list.push(begun)
    else runs.set(trackingId, [begun])
  }
  return runs
}

/** What shows that runs lasted at a moment: their pushes around it. */
const shownAt = (runs: readonly Run[], atMs: number, handOverMs: number): Push[] =>
  runs.flatMap(({ pushes }) => pushes.filter(({ at }) => Math.abs(at - atMs) <= handOverMs))

/** Two pushes to one connection, and the runs of as many others as there are seats, which lasted meanwhile. */
function findTooMany(
  runs: readonly Run[],
  limit: number,
  error: ErrorAt,
): { pushes: Push[]; others: Run[] } | undefined {
  const long = runs.filter(({ fromMs, toMs }) => toMs > fromMs)
  const othersOf = ({ connection, at }: Push): Run[] => {
    const from = at - error(at)
    return long.filter(run => run.connection !== connection && run.fromMs <= from && at <= run.toMs)
  }
  const before = new Map<number, Push>()
  for (const push of runs.flatMap(({ pushes }) => pushes).sort((a, b) => a.at - b.at)) {
    const others = othersOf(push)
    const first = before.get(push.connection)
    if (others.length < limit) before.delete(push.connection)
    else if (first) return { pushes: [first, push], others: others.slice(0, limit) }
    else before.set(push.connection, push)
  }
  return undefined
}

const stallsIn = ({ entries }: History): Stall[] => entries.filter(entry => entry.what === 'stall')

/** @returns by how much what was seen at a moment may have been sent earlier, in milliseconds */
function clockErrors(stalls: readonly Stall[]): ErrorAt {
  let from = 0
  return at => {
    // Moments come in order, but for the first of a pair.
    while (from > 0 && stalls[from - 1]!.at >= at - BACK_MS) from--
    while (from < stalls.length && stalls[from]!.at < at - BACK_MS) from++
    let longest = 0
    for (let next = from; next < stalls.length && stalls[next]!.at - stalls[next]!.forMs <= at; next++)
      longest = Math.max(longest, stalls[next]!.forMs)
    return LEAST_ERROR_MS + TURNS * longest
  }
}

/** As many runs as possible that have an instant in common, and that instant. */
function findMost(runs: readonly Run[]): { atMs: number; most: Run[] } {
  const edges = runs
    .filter(({ fromMs, toMs }) => toMs > fromMs)
    .flatMap(run => [
      { at: run.fromMs, run, begins: true },
      { at: run.toMs, run, begins: false },
    ])
    .sort((a, b) => a.at - b.at || Number(a.begins) - Number(b.begins))
  const open = new Map<number, Run>()
  let found: { atMs: number; most: Run[] } = { atMs: 0, most: [] }
  for (const { at, run, begins } of edges) {
    if (begins) open.set(run.connection, run)
    else if (open.get(run.connection) === run) open.delete(run.connection)
    if (open.size > found.most.length) found = { atMs: at, most: [...open.values()] }
  }
  return found
}
