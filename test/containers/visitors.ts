// The public of a deployment: many people at once behind one TLS proxy, and people who ask all the time.
import type { TestContext } from '@payment-tracking/testkit'
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { io, type Socket } from 'socket.io-client'
import type { Test } from 'tap'

/** People behind one TLS proxy; one address may have 200 connections. */
export const PEOPLE = 260

/** Each connects with an address of its own in x-forwarded-for, as a TLS proxy writes it. */
export async function admitPeople(t: TestContext & Pick<Test, 'equal' | 'strictSame'>, baseUrl: string) {
  const sockets: Socket[] = []
  t.teardown(() => sockets.forEach(socket => socket.close()))
  const refusals: unknown[] = []
  const admitted = Array.from({ length: PEOPLE }, (_, person) => {
    const socket = io(baseUrl, {
      path: '/ws/v1',
      transports: ['websocket'],
      forceNew: true,
      extraHeaders: { 'x-forwarded-for': `198.51.${person >> 8}.${person & 255}` },
    })
    sockets.push(socket)
    socket.on('error', (message: unknown) => refusals.push(message))
    return new Promise<boolean>(resolve =>
      socket.on('connect', () =>
        socket.emit('subscribe', { trackingId: `behind-a-proxy-${person % 20}` }, (answer: { ok: boolean }) =>
          resolve(answer.ok),
        ),
      ),
    )
  })
  const answers = await Promise.all(admitted)
  t.equal(answers.filter(Boolean).length, PEOPLE, 'all subscribed')
  t.strictSame(refusals, [], 'none was refused')
}

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
