// Reads over REST during the whole run. Each answer is right or refuses with a status that means "later", and none is of an earlier
// position than one before it. How reads go with what sockets and streams told, client-positions.test.ts and replicas.long.test.ts show.
import { setTimeout as sleep } from 'node:timers/promises'
import { findReadProblems, type Place } from './answer-rules.js'

const EVERY_MS = 75
/** A signal of `fetch` does not suffice: in Node 20 it may be collected as garbage before the body has come. */
const LONGEST_MS = 8_000
/** Refusals that say "not now". */
const PASSING = new Set([429, 502, 503, 504])

export function openRestReader(baseUrl: string, trackingIds: readonly string[]) {
  const problems: string[] = []
  let answers = 0
  let refusals = 0
  let stopping = false
  /** The highest position that an answer told, and its database. */
  let seen: Place | undefined
  const paths = [
    '/v1/events/count',
    ...trackingIds.map(each => `/v1/onetime/${encodeURIComponent(each)}?limit=1000&retracted=true`),
  ]
  const ask = async (path: string) => {
    const headers: Record<string, string> = seen ? { 'x-min-position': String(seen.position) } : {}
    const response = await fetch(baseUrl + path, { headers })
    return { response, text: await response.text() }
  }
  const running = (async () => {
    // One request at a time. If two ran at once, the one answered last could rightly tell the earlier position.
    for (let turn = 0; !stopping; turn++) {
      const path = paths[turn % paths.length]!
      const late = sleep(LONGEST_MS, undefined, { ref: false })
      const answer = await Promise.race([ask(path), late]).catch(() => undefined)
      // Cut off in the middle, the process was killed.
      if (!answer || PASSING.has(answer.response.status)) refusals++
      else {
        answers++
        const { response, text } = answer
        const [position, epoch] = [response.headers.get('x-position'), response.headers.get('x-epoch')]
        const place = position === null || epoch === null ? undefined : { position: Number(position), epoch }
        problems.push(...findReadProblems(seen, place).map(problem => `rest: ${path} ${problem}`))
        if (place && (seen?.epoch !== place.epoch || seen.position < place.position)) seen = place
        if (!response.ok && response.status !== 404)
          problems.push(`rest: ${path} answered ${response.status} ${text.slice(0, 200)}`)
      }
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
    async stop() {
      stopping = true
      await running
    },
  }
}
