// Reads over REST during the whole run. Each answer must be true for some moment of the run, or refuse with a status that
// means "later". No answer may count fewer events than an earlier answer counted.
import { setTimeout as sleep } from 'node:timers/promises'
import type { SentPayment } from '../../history/entries.js'
import type { Recorder } from '../../history/recorder.js'
import { fetchText } from './fetch-text.js'
import { headOf } from './notified-reader.js'

export interface RestReader {
  readonly answers: number
  readonly refusals: number
  problems: string[]
  /** The database has lost commits: later answers may count fewer events than earlier answers. */
  forget(): void
  stop(): Promise<void>
}

const EVERY_MS = 150
/** A database that lost commits is filled again from the stream within this time. */
const REFILLED_WITHIN_MS = 15_000
/** Refusals that say "not now". */
const PASSING = new Set([429, 502, 503, 504])

/** So many payments of a list stand in the history. */
const NOTED = 20

const countIn = (text: string): number => (JSON.parse(text) as { count: number }).count

function paymentsIn(text: string): SentPayment[] {
  const { data } = JSON.parse(text) as { data: SentPayment | SentPayment[] }
  return [data].flat().map(({ seq, eventId }) => ({ seq, eventId }))
}

/** @param takenBack the number of events that may have been retracted so far: such events no longer count */
export function openRestReader(
  baseUrl: string,
  trackingIds: readonly string[],
  takenBack: () => number,
  recorder: Recorder,
): RestReader {
  const problems: string[] = []
  const most = new Map<string, number>()
  let answers = 0
  let refusals = 0
  let stopping = false
  let forgivenUntilMs = -1
  /** The highest position that an answer told, and its database. */
  let seen: { position: number; epoch: string } | undefined

  const read = async (path: string, trackingId?: string): Promise<void> => {
    let response: Response
    let text: string
    const askedMs = performance.now()
    const of = { who: 'reader', via: 'rest', op: recorder.next() } as const
    recorder.note({
      ...({ ...of, what: 'ask' } as const),
      ...(trackingId !== undefined && { trackingId }),
      ...(seen && { minPosition: seen.position, epoch: seen.epoch }),
    })
    try {
      const headers: Record<string, string> = seen ? { 'x-min-position': String(seen.position) } : {}
      ;({ response, text } = await fetchText(baseUrl + path, headers))
    } catch {
      // Cut off in the middle: the process was killed.
      refusals++
      return
    }
    const { position, epoch } = headOf(response)
    if (position !== undefined && epoch !== undefined) {
      if (seen?.epoch !== epoch || seen.position < position) seen = { position, epoch }
    }
    const payments = response.ok && trackingId !== undefined ? paymentsIn(text) : []
    const now = response.ok && trackingId === undefined ? countIn(text) : payments.length
    recorder.note({
      ...of,
      what: 'answer' as const,
      status: response.status,
      ...headOf(response),
      count: now,
      ...(trackingId !== undefined && { payments: payments.slice(0, NOTED) }),
    })
    if (response.ok) {
      answers++
      const counted = path.includes('/count') ? takenBack() : 0
      if (now + counted < (most.get(path) ?? 0) && askedMs > forgivenUntilMs)
        problems.push(`rest: ${path} had ${most.get(path)} and now has ${now}`)
      most.set(path, Math.max(most.get(path) ?? 0, now))
    } else if (PASSING.has(response.status)) refusals++
    else if (response.status === 404 && (!most.has(path) || askedMs <= forgivenUntilMs)) answers++
    else problems.push(`rest: ${path} answered ${response.status} ${text.slice(0, 200)}`)
  }
  const running = (async () => {
    for (let turn = 0; !stopping; turn++) {
      const trackingId = trackingIds[turn % trackingIds.length]!
      // One reader, one request after the other: an answer that overtakes another answer proves nothing.
      if (turn % 3 === 0) await read('/v1/events/count')
      else await read(`/v1/onetime/${encodeURIComponent(trackingId)}?limit=1000&retracted=true`, trackingId)
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
