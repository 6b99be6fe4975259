import websocket from '@fastify/websocket'
import type { WebSocket } from 'ws'
import type { RedisConnections } from '@payment-tracking/redis'
import { Type, type Static } from 'typebox'
import { countedAddress, repeat, type Logger } from '@payment-tracking/runtime'
import {
  findArchivedAfter,
  POSITION_CURSOR,
  readArchivedUpTo,
  readFirstEvent,
  readSharedPosition,
  type PositionKey,
  type StreamEvent,
} from '@payment-tracking/store/reads'
import { type Store } from '@payment-tracking/store/core'
import type { ApiServer } from '../api-server.js'
import { ApiError, ArchivedError, InvalidParameterError } from '../http/api-errors.js'
import { ARCHIVED_REFUSAL, READ_REFUSALS, refusal } from '../http/error-answer-schema.js'
import { EventFilters, toEventFilter } from '../events/event-query.js'
import { EventRecord } from '../events/event-record.js'
import { Integer, Text } from '../http/fields.js'
import type { Tokens } from '@payment-tracking/domain'
import { checkUpgrade } from './check-upgrade.js'
import { CLOSE } from './close-codes.js'
import { StreamTail } from './stream-tail.js'
import { Reader } from './reader.js'

export const STREAM_PATH = '/v1/events/stream'
/** The value of `since` for all events. */
const FROM_THE_FIRST = '0'
/** Clients send no messages. */
const LONGEST_MESSAGE_BYTES = 1_024

const StreamQuery = Type.Object({
  ...EventFilters,
  since: Type.Optional(
    Type.String({
      format: 'cursor',
      description:
        'the `cursor` of the last record that was read, or 0 for the first event; without it the stream begins now',
    }),
  ),
})

export const StreamRecord = Type.Object(
  {
    ...EventRecord.properties,
    cursor: Text('where to go on from, as `since`'),
    position: Integer('its place in the stream: as `x-min-position`, answers know the event', 6001),
  },
  { title: 'StreamRecord', description: 'One message of the stream.' },
)

/** The record of an event with its cursor, which holds nothing that JSON escapes, and its position. */
const writeRecord = (record: string, cursor: string, position: bigint): string =>
  `${record.slice(0, -1)},"cursor":"${cursor}","position":${position}}`

/** The first message: where the stream begins, and where the stored events end. */
export const StreamHeadMessage = Type.Object(
  {
    type: Type.Literal('head'),
    head: Text('the cursor of the last event that was stored when the stream began'),
    cursor: Text('where this stream begins; `since` to begin there again'),
    position: Integer('the place of the last event that was stored', 6000),
    epoch: Text('which database positions belong to', '5f0c1f6e-1d7e-4f0e-9a51-3f1f0e1c8a52'),
  },
  { title: 'StreamHead', description: 'The first message of the stream; no event.' },
)

export interface StreamOptions {
  store: Store
  tokens: Tokens
  log: Logger
  /** the limit for one client, on this process */
  maxConnections: number
  /** signals commits */
  redis?: RedisConnections | undefined
  /** how soon what no signal said is read */
  checkEveryMs: number
  pingEveryMs: number
  stallMs: number
  /** the number of open sockets */
  sockets: { set(count: number): void }
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Where a stream begins; set after the check. */
    streamStart: { start: PositionKey; head: PositionKey; archivedUpTo: bigint } | null
  }
}

/** The stream of all events: the stored events since a cursor, then new events. */
export async function addStream(app: ApiServer, options: StreamOptions): Promise<void> {
  const { store, tokens, log, maxConnections } = options
  const tail = new StreamTail(store, tokens, log, options.checkEveryMs)
  options.redis?.listenToCommits(({ position, gateways }) => {
    if (position !== null || gateways === null) tail.signal()
  })
  const readers = new Map<WebSocket, Reader>()
  const connections = new Map<string, number>()

  await app.register(websocket, {
    options: { maxPayload: LONGEST_MESSAGE_BYTES },
    errorHandler: (_error, socket) => socket.terminate(),
    preClose(done) {
      for (const reader of readers.values()) reader.close(CLOSE.stopping)
      tail.close().then(() => this.websocketServer.close(() => done()), done)
    },
  })
  app.decorateRequest('streamStart', null)
  keepAlive(app, readers, options.pingEveryMs)

  const start = async (since: string | undefined) => {
    const key = since === undefined || since === FROM_THE_FIRST ? undefined : POSITION_CURSOR.read(since)
    if (key === null) {
      throw new InvalidParameterError(
        'since',
        'is no cursor of this stream; send a cursor, or 0 for the first event',
      )
    }
    const head = await tail.open()
    const archivedUpTo = await readArchivedUpTo(store)
    if (key === undefined) {
      if (since !== FROM_THE_FIRST) return { head, start: head, archivedUpTo }
      const { position } = await readFirstEvent(store)
      return { head, start: { epoch: head.epoch, position: (position ?? 1n) - 1n }, archivedUpTo }
    }
    const shared = key.epoch === head.epoch ? head.position : await readSharedPosition(store, key.epoch)
    if (shared === null) throw new InvalidParameterError('since', 'is of another database')
    if (key.position > shared && key.epoch !== head.epoch)
      throw new InvalidParameterError('since', 'is of what the database lost; begin again without it')
    if (key.position > shared) throw new InvalidParameterError('since', 'is beyond the end of the stream')
    const month = await findArchivedAfter(store, key.position)
    if (month !== null) throw new ArchivedError(month)
    return { head, start: { epoch: head.epoch, position: key.position }, archivedUpTo }
  }

  app.route({
    method: 'GET',
    url: STREAM_PATH,
    exposeHeadRoute: false,
    config: { reads: 'nothing' },
    schema: {
      operationId: 'streamEvents',
      tags: ['events'],
      summary: 'Stream events (WebSocket)',
      description:
        'All events as they are stored. A plain WebSocket. The first message is one StreamHead, each other one StreamRecord; its `cursor`, given as `since`, goes on after it and never skips an event, however late it was stored. Begins with what was stored since, or now.',
      querystring: StreamQuery,
      response: {
        101: Type.Null({ description: 'The connection is a WebSocket now.' }),
        // Generators and linters look for an answer of 2xx, and make types of its schema alone.
        200: Type.Union([StreamHeadMessage, StreamRecord], {
          description: 'What each message of the socket looks like; HTTP answers 101, or a refusal.',
        }),
        426: refusal('Connect with a WebSocket.'),
        ...ARCHIVED_REFUSAL,
        ...READ_REFUSALS,
      },
    },
    preHandler: async request => {
      // A browser does not show why an upgrade was refused: a plain request with the same cursor tells.
      const begin = request.query.since === undefined ? undefined : await start(request.query.since)
      checkUpgrade(request.raw.headers)
      if ((connections.get(countedAddress(request.ip)) ?? 0) >= maxConnections) {
        throw new ApiError('TOO_MANY_CONNECTIONS', `A client may have ${maxConnections} streams at a time.`)
      }
      request.streamStart = begin ?? (await start(undefined))
    },
    handler: () => {
      throw new ApiError('UPGRADE_REQUIRED', 'This is a WebSocket: connect with one.')
    },
    wsHandler: (socket, request) => {
      const { start, head, archivedUpTo } = request.streamStart!
      const { epoch, position } = start
      socket.send(
        JSON.stringify({
          type: 'head',
          head: POSITION_CURSOR.write(head),
          cursor: POSITION_CURSOR.write(start),
          position: Number(head.position),
          epoch: head.epoch,
        } satisfies Static<typeof StreamHeadMessage>),
      )
      const client = countedAddress(request.ip)
      connections.set(client, (connections.get(client) ?? 0) + 1)
      const write = (event: StreamEvent) =>
        writeRecord(event.record, POSITION_CURSOR.write({ epoch, position: event.position }), event.position)
      const filter = toEventFilter(request.query)
      readers.set(
        socket,
        new Reader({
          store,
          tokens,
          tail,
          socket,
          filter,
          position,
          archivedUpTo,
          write,
          log,
          stallMs: options.stallMs,
        }),
      )
      options.sockets.set(readers.size)
      socket.on('close', () => {
        readers.delete(socket)
        options.sockets.set(readers.size)
        const left = connections.get(client)! - 1
        if (left === 0) connections.delete(client)
        else connections.set(client, left)
      })
    },
  })
}

/** Pings every socket, and cuts a socket that did not answer the last ping. */
function keepAlive(app: ApiServer, readers: ReadonlyMap<WebSocket, Reader>, everyMs: number): void {
  const unanswered = new WeakSet<WebSocket>()
  const pinging = repeat({
    everyMs,
    ref: false,
    run: () => {
      for (const socket of readers.keys()) {
        if (unanswered.has(socket)) {
          socket.terminate()
          continue
        }
        unanswered.add(socket)
        socket.once('pong', () => unanswered.delete(socket))
        socket.ping()
      }
    },
    onError: err => app.log.error({ err }, 'stream.ping-failed'),
  })
  pinging.start()
  app.addHook('onClose', () => pinging.stop())
}
