// Bounds the memory that one client can occupy in this process: running requests, unread answers, and the time of each.
// Without these bounds, sixty connections that each request a thousand events nine times and never read exhaust a
// process of 512 MiB, within the limit of requests a minute.
import { setMaxListeners } from 'node:events'
import type { Socket } from 'node:net'
import { countedAddress, repeat, type Metrics } from '@payment-tracking/runtime'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ApiServer } from '../api-server.js'
import { ApiError } from '../http/api-errors.js'
import { KeyedSemaphore, type Leave } from './keyed-semaphore.js'
import { UnreadAnswers, type CloseReason } from './unread-answers.js'

/** A client that sends more requests than this without waiting for an answer is disconnected. */
const MOST_PIPELINED = 64
/** Smaller answers are not counted: a connection holds only one of them. */
const SMALL_ANSWER_BYTES = 16 * 1024
const CHECK_EVERY_MS = 250

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * Aborts when nobody will read the answer any more: the client is gone, or the deadline was answered. What a request
     * waits for ends with this signal. Its reason is an ApiError. (Fastify's own `signal` also aborts when a body was read.)
     */
    abandoned: AbortSignal
  }
}

export interface RequestBounds {
  /** running requests of one client, until their answers are read; further requests wait */
  perClient: number
  /** bytes of unread answers, of all clients together */
  unreadBytes: number
  /** how long a client may read nothing of its answer */
  stallMs: number
  /** how long a request may run before the server answers 503 */
  deadlineMs: number
}

interface Connection {
  /** requests that were read and whose answers were not sent yet */
  open: number
  /** resolves when the answer to the newest request was sent */
  lastAnswer: Promise<void>
  /** called when the connection is gone; Node does not notify answers that wait for another answer */
  readonly ends: Set<() => void>
  isGone: boolean
}

interface InWork {
  readonly reply: FastifyReply
  /** aborts the request's `abandoned` */
  readonly abandon: (reason: ApiError) => void
  readonly sinceMs: number
  /** resolves when the previous answer on its connection was sent */
  readonly answerBefore: Promise<void>
}

/** The part of a client's running requests that a request takes. */
interface Permit {
  client: string
  /** resolves when it may run; null while it is suspended */
  entered: Promise<Leave> | null
  hasEnded: boolean
}

/** A request that was abandoned while it waited has not entered. */
const leave = ({ entered }: Permit): void => void entered?.then(leaveSlot => leaveSlot()).catch(() => {})

/**
 * Waits for something outside: meanwhile the request is not in work, so it takes no permit of the client's running requests,
 * no deadline ends it, and its connection may be silent.
 */
export type Suspend = <T>(request: FastifyRequest, wait: () => Promise<T>) => Promise<T>

/** Adds the bounds to every route. Must be called before any hook that may answer. */
export function boundRequests(app: ApiServer, bounds: RequestBounds, metrics: Metrics): Suspend {
  const closes = metrics.counter('http_connections_closed_total', 'Connections closed for not reading', [
    'reason',
  ])
  const unreadGauge = metrics.gauge(
    'http_unread_bytes',
    'Bytes of large answers that clients have not taken; above 64 MiB connections are closed',
  )
  const onClose = (reason: CloseReason) => closes.inc({ reason })
  const unread = new UnreadAnswers({ limitBytes: bounds.unreadBytes, stallMs: bounds.stallMs, onClose })
  metrics.onScrape(unreadGauge, () => unreadGauge.set(unread.bytes))
  const slots = new KeyedSemaphore({ ofKey: bounds.perClient })
  const connections = new WeakMap<Socket, Connection>()
  const inWork = new Map<FastifyRequest, InWork>()
  const permits = new WeakMap<FastifyRequest, Permit>()

  const connectionOf = (socket: Socket): Connection => {
    let connection = connections.get(socket)
    if (!connection) {
      const made: Connection = { open: 0, lastAnswer: Promise.resolve(), ends: new Set(), isGone: false }
      socket.once('close', () => {
        made.isGone = true
        made.ends.forEach(end => end())
      })
      connections.set(socket, made)
      connection = made
    }
    return connection
  }
  /** Calls `work` once: when the answer was sent, or its connection is gone. */
  const atEnd = (reply: FastifyReply, connection: Connection, work: () => void) => {
    if (connection.isGone) return work()
    const end = () => {
      if (connection.ends.delete(end)) work()
    }
    connection.ends.add(end)
    reply.raw.once('finish', end).once('close', end)
  }

  app.decorateRequest('abandoned', null as unknown as AbortSignal)
  app.addHook('onRequest', (request, reply, done) => {
    const { socket } = request.raw
    const controller = new AbortController()
    // Each statement of a request listens, and a long answer has hundreds.
    setMaxListeners(0, controller.signal)
    const abandon = (reason: ApiError) => controller.abort(reason)
    request.abandoned = controller.signal
    const connection = connectionOf(socket)
    connection.open += 1
    // Taken here, in the order in which requests were read: a later hook may let one request overtake another. The
    // answers still leave in the order of the requests, so the two requests would wait for each other.
    const answerBefore = connection.lastAnswer
    connection.lastAnswer = new Promise(resolve => atEnd(reply, connection, resolve))
    inWork.set(request, { reply, abandon, sinceMs: performance.now(), answerBefore })
    atEnd(reply, connection, () => {
      connection.open -= 1
      inWork.delete(request)
      if (!reply.raw.writableEnded) abandon(new ApiError('INVALID_REQUEST', 'The connection was closed.'))
    })
    if (connection.open > MOST_PIPELINED && !socket.destroyed) {
      onClose('too-much-unread')
      socket.destroy()
    }
    done()
  })
  app.addHook('preHandler', async (request, reply) => {
    // A stream is no answer: streams have their own bounds.
    if (request.ws) return
    const connection = connectionOf(request.raw.socket)
    await inWork.get(request)?.answerBefore
    const client = countedAddress(request.ip)
    const permit: Permit = { client, entered: slots.enter(client, request.abandoned), hasEnded: false }
    permits.set(request, permit)
    atEnd(reply, connection, () => {
      permit.hasEnded = true
      leave(permit)
    })
    await permit.entered
  })
  app.addHook('onSend', (request, reply, payload, done) => {
    inWork.delete(request)
    const bytes = typeof payload === 'string' || Buffer.isBuffer(payload) ? payload.length : 0
    if (bytes > SMALL_ANSWER_BYTES) {
      const { socket } = request.raw
      atEnd(reply, connectionOf(socket), unread.add(socket, bytes, performance.now()))
    }
    done(null, payload)
  })
  app.server.on('timeout', (socket: Socket) => {
    // Connections that wait for their next request also reach this point.
    if ((connections.get(socket)?.open ?? 0) > 0) onClose('stalled')
    socket.destroy()
  })

  const checking = repeat({
    everyMs: CHECK_EVERY_MS,
    ref: false,
    run: () => {
      const nowMs = performance.now()
      unread.closeSlow(nowMs)
      for (const [request, { reply, abandon, sinceMs }] of inWork) {
        // The oldest requests come first.
        if (nowMs - sinceMs < bounds.deadlineMs) break
        inWork.delete(request)
        if (reply.sent || reply.raw.headersSent) continue
        const late = new ApiError('STORE_TIMEOUT', 'The answer took too long. Please try again.')
        abandon(late)
        // A handler that waits for the signal has answered by then.
        setImmediate(() => {
          if (!reply.sent && !reply.raw.headersSent) void reply.send(late)
        })
      }
    },
    onError: err => app.log.error({ err }, 'requests.check-failed'),
  })
  checking.start()
  app.addHook('onClose', () => checking.stop())

  return async (request, wait) => {
    const permit = permits.get(request)!
    const work = inWork.get(request)
    const { socket } = request.raw
    if (permit.hasEnded || !work) return wait()
    leave(permit)
    permit.entered = null
    inWork.delete(request)
    socket.setTimeout(0)
    try {
      return await wait()
    } finally {
      socket.setTimeout(app.server.timeout)
      if (!permit.hasEnded) {
        permit.entered = slots.enter(permit.client, request.abandoned)
        inWork.set(request, { ...work, sinceMs: performance.now() })
        await permit.entered
      }
    }
  }
}
