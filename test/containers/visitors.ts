// The public of a deployment: people who ask all the time.
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

export interface Pauses {
  /** the longest time in which nobody got an answer */
  gapMs: number
  /** the same of a bare server beside it: what the machine alone makes people wait */
  bareGapMs: number
  /** the longest that one request took */
  waitMs: number
  refused: number
}

const ASKING_AT_ONCE = 4

/** Answers everybody, on a thread of its own. */
const BARE_SERVER = `
  const server = require('node:http').createServer((_, response) => response.end('[]'))
  server.listen(0, '127.0.0.1', () => require('node:worker_threads').parentPort.postMessage(server.address().port))`

/** Asks all the time, several at once. */
export async function watchForPauses(baseUrl: string) {
  const bare = new Worker(BARE_SERVER, { eval: true })
  const [barePort] = (await once(bare, 'message')) as [number]
  let pauses: Pauses = { gapMs: 0, bareGapMs: 0, waitMs: 0, refused: 0 }
  let answeredAt = Date.now()
  let bareAnsweredAt = answeredAt
  let stopped = false
  const askBare = async () => {
    while (!stopped) {
      await fetch(`http://127.0.0.1:${barePort}`).then(response => response.text())
      pauses.bareGapMs = Math.max(pauses.bareGapMs, Date.now() - bareAnsweredAt)
      bareAnsweredAt = Date.now()
      await new Promise(resolve => setTimeout(resolve, 20))
    }
  }
  const ask = async () => {
    while (!stopped) {
      const startedAt = Date.now()
      const answer = await fetch(`${baseUrl}/v1/events?limit=1`).then(
        response => response.ok,
        () => false,
      )
      pauses.waitMs = Math.max(pauses.waitMs, Date.now() - startedAt)
      if (answer) {
        pauses.gapMs = Math.max(pauses.gapMs, Date.now() - answeredAt)
        answeredAt = Date.now()
      } else pauses.refused += 1
      await new Promise(resolve => setTimeout(resolve, 20))
    }
  }
  const asking = Promise.all([askBare(), ...Array.from({ length: ASKING_AT_ONCE }, ask)])
  return {
    /** What came about since the last call. */
    take(): Pauses {
      const result = pauses
      const bareGapMs = Date.now() - bareAnsweredAt
      pauses = { gapMs: Date.now() - answeredAt, bareGapMs, waitMs: 0, refused: 0 }
      return result
    },
    stop: async () => {
      stopped = true
      await asking
      await bare.terminate()
    },
  }
}
