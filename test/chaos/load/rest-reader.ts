// Reads over REST during the whole run. Each answer must be true for some moment of the run, or refuse with a status that
// means "later". No answer may count fewer events than an earlier one, or than its own position says; and a shop that was
// told of a payment finds it, from the payment's own position on.
import { setTimeout as sleep } from 'node:timers/promises'
import type { SocketPayment } from '@payment-tracking/contracts'
import { findReadProblems, type Place } from './answer-rules.js'
import { fetchText } from './fetch-text.js'

export interface RestReader {
  readonly answers: number
  readonly refusals: number
  problems: string[]
  /** Somebody was told of a payment, by a database that this epoch names. */
  notify(payment: SocketPayment, epoch: string | undefined): void
  /** The database has lost commits: later answers may count fewer events than earlier answers. */
  forget(): void
  stop(): Promise<void>
}

const EVERY_MS = 75
/** A database that lost commits is filled again from the stream within this time. */
const REFILLED_WITHIN_MS = 15_000
/** Refusals that say "not now". */
const PASSING = new Set([429, 502, 503, 504])
const COUNT = '/v1/events/count'

/** @param takenBack the number of events that may have been retracted so far: such events no longer count */
export function openRestReader(
  baseUrl: string,
  trackingIds: readonly string[],
  takenBack: () => number,
): RestReader {
  const problems: string[] = []
  const most = new Map<string, number>()
  let answers = 0
  let refusals = 0
  let stopping = false
  let forgivenUntilMs = -1
  /** The highest position that an answer told, and its database. */
  let seen: Place | undefined
  let notified: { payment: SocketPayment; epoch: string } | undefined

  /** @returns the answer, unless it refuses; `isForgiven` when it may be of a database that has just lost commits */
  const read = async (path: string, min = seen) => {
    const askedMs = performance.now()
    const headers: Record<string, string> = min ? { 'x-min-position': String(min.position) } : {}
    const answer = await fetchText(baseUrl + path, headers).catch(() => undefined)
    const status = answer?.response.status ?? 0
    // Cut off in the middle, the process was killed.
    if (!answer || PASSING.has(status)) return void refusals++
    answers++
    const { response, text } = answer
    const [position, epoch] = [response.headers.get('x-position'), response.headers.get('x-epoch')]
    const place = position === null || epoch === null ? undefined : { position: Number(position), epoch }
    if (place && (seen?.epoch !== place.epoch || seen.position < place.position)) seen = place
    if (!response.ok && status !== 404)
      problems.push(`rest: ${path} answered ${status} ${text.slice(0, 200)}`)
    return { found: response.ok ? (JSON.parse(text) as unknown) : undefined, place, askedMs }
  }
  const say = (path: string, found: readonly string[]) =>
    problems.push(...found.map(problem => `rest: ${path} ${problem}`))

  const count = async (path: string, countOf: (found: unknown) => number): Promise<void> => {
    const min = seen
    const answer = await read(path)
    if (!answer) return
    const { found, place, askedMs } = answer
    say(path, findReadProblems(min, place))
    const now = found === undefined ? 0 : countOf(found)
    const back = path === COUNT ? takenBack() : 0
    if (now + back < (most.get(path) ?? 0) && askedMs > forgivenUntilMs)
      say(path, [`had ${most.get(path)} and now has ${now}`])
    if (path === COUNT && found !== undefined && place && now + back < place.position)
      say(path, [`counted ${now} events at position ${place.position}`])
    most.set(path, Math.max(most.get(path) ?? 0, now))
  }
  const find = async ({ eventId, seq, trackingId, signature, position }: SocketPayment, epoch: string) => {
    const path = `/v1/events?${new URLSearchParams({ trackingId, signature, retracted: 'true' })}`
    const min = { position, epoch }
    const answer = await read(path, min)
    const found = (answer?.found ?? []) as { id: string; seq: number }[]
    if (answer) say(path, findReadProblems(min, answer.place, { eventId, seq, found }))
  }
  const running = (async () => {
    for (let turn = 0; !stopping; turn++) {
      const trackingId = encodeURIComponent(trackingIds[turn % trackingIds.length]!)
      const told = notified
      notified = undefined
      // One reader, one request after the other: an answer that overtakes another answer proves nothing.
      if (told && turn % 2 === 1) await find(told.payment, told.epoch)
      else if (turn % 3 === 0) await count(COUNT, found => (found as { count: number }).count)
      else
        await count(
          `/v1/onetime/${trackingId}?limit=1000&retracted=true`,
          found => [(found as { data: unknown }).data].flat().length,
        )
      await sleep(EVERY_MS)
    }
  })()
  return {
    get answers() {
      return answers
    },
    get refusals() {
      return refusals
    },
    problems,
    notify(payment, epoch) {
      if (epoch !== undefined) notified = { payment, epoch }
    },
    forget() {
      most.clear()
      forgivenUntilMs = performance.now() + REFILLED_WITHIN_MS
    },
    async stop() {
      stopping = true
      await running
    },
  }
}
