// Reads over REST during the whole run. Each answer must be true for some moment of the run, or refuse with a status that
// means "later". No answer may count fewer events than an earlier answer counted.
import { setTimeout as sleep } from 'node:timers/promises'

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

  const read = async (path: string, count: (body: unknown) => number): Promise<void> => {
    let response: Response
    let text: string
    const askedMs = performance.now()
    try {
      response = await fetch(baseUrl + path, { signal: AbortSignal.timeout(8_000) })
      text = await response.text()
    } catch {
      // Cut off in the middle: the process was killed.
      refusals++
      return
    }
    if (response.ok) {
      answers++
      const now = count(JSON.parse(text))
      const counted = path.includes('/count') ? takenBack() : 0
      if (now + counted < (most.get(path) ?? 0) && askedMs > forgivenUntilMs)
        problems.push(`rest: ${path} had ${most.get(path)} and now has ${now}`)
      most.set(path, Math.max(most.get(path) ?? 0, now))
    } else if (PASSING.has(response.status)) refusals++
    else if (response.status === 404 && (!most.has(path) || askedMs <= forgivenUntilMs)) answers++
    else problems.push(`rest: ${path} answered ${response.status} ${text.slice(0, 200)}`)
  }
  const lengthOf = (body: unknown) => {
    const { data } = body as { data: unknown }
    return Array.isArray(data) ? data.length : 1
  }
  const running = (async () => {
    for (let turn = 0; !stopping; turn++) {
      const trackingId = trackingIds[turn % trackingIds.length]!
      // One reader, one request after the other: an answer that overtakes another answer proves nothing.
      if (turn % 3 === 0) await read('/v1/events/count', body => (body as { count: number }).count)
      else await read(`/v1/onetime/${encodeURIComponent(trackingId)}?limit=1000&retracted=true`, lengthOf)
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
