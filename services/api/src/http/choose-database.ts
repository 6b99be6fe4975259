// The database of each read, and the position up to which its answer knows everything.
import type { FastifyContextConfig, FastifyRequest } from 'fastify'
import { boundReads, NotYetError, type Store } from '@payment-tracking/store/core'
import { type Reading, type Reads } from '@payment-tracking/store/reads'
import { Type } from 'typebox'
import type { ApiServer } from '../api-server.js'
import { ApiError } from './api-errors.js'
import { setPosition } from './set-position.js'

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * What a GET route under /v1 reads: from a replica too, from the primary alone (the default), or from no database.
     */
    reads?: 'replicas' | 'primary' | 'nothing'
  }
  interface FastifyRequest {
    /** The database that the request may read from. Set before the handler of a route that reads. */
    store: Store
    reading: Reading | null
    /** what `x-min-position` asks for */
    minPosition: bigint
  }
}

const MAX_POSITION = 2n ** 63n - 1n

/** @throws ApiError INVALID_PARAMETER */
function readMinPosition(sent: string | string[] | undefined): bigint {
  if (sent === undefined) return 0n
  const position = typeof sent === 'string' && /^\d{1,19}$/.test(sent) ? BigInt(sent) : MAX_POSITION + 1n
  if (position > MAX_POSITION)
    throw new ApiError(
      'INVALID_PARAMETER',
      `Header x-min-position must be a whole number from 0 to ${MAX_POSITION}.`,
    )
  return position
}

/** Whether an answer says what was read: 404 and 410 say that nothing was found. */
const answersFromRead = (status: number): boolean => status < 400 || status === 404 || status === 410

/** Whether a route reads a database, so that its answers have a position. */
export const readsDatabase = (
  method: string | string[],
  url: string | undefined,
  reads: FastifyContextConfig['reads'],
): boolean =>
  (method === 'GET' || method === 'HEAD') && url?.startsWith('/v1/') === true && reads !== 'nothing'

/** The header of a request, for the reference. */
export const MIN_POSITION = Type.Object({
  'x-min-position': Type.Optional(
    Type.String({
      pattern: '^[0-9]{1,19}$',
      description: 'the highest `x-position` or `position` that was seen: the answer knows at least that',
      examples: ['6001'],
    }),
  ),
})

/**
 * Chooses the database of each GET route under /v1, and answers `x-position` with `x-epoch`. Must be called before the
 * hook that answers 304, and after the hook that bounds how many requests run.
 */
export function chooseDatabase(app: ApiServer, reads: Reads): void {
  app.decorateRequest('store')
  app.decorateRequest('reading', null)
  app.decorateRequest('minPosition', 0n)
  app.addHook('preHandler', (request, _reply, done) => {
    const { url, config } = request.routeOptions
    if (request.ws || !readsDatabase(request.method, url, config.reads)) return done()
    try {
      request.minPosition = readMinPosition(request.headers['x-min-position'])
      const reading = reads.begin({
        atLeast: request.minPosition,
        replicas: config.reads === 'replicas',
      })
      if (reading instanceof Promise) {
        reading.then(begun => begin(request, begun)).then(() => done(), done)
        return
      }
      begin(request, reading)
      done()
    } catch (error) {
      done(error as Error)
    }
  })
  app.addHook('onSend', (request, reply, payload, done) => {
    const { reading, minPosition } = request
    if (reading === null || !answersFromRead(reply.statusCode)) return done(null, payload)
    const head = reading.head()
    // The database lost commits while it was read: the answer may know less than was asked for. The refusal names the
    // epoch that began meanwhile, so that the reader can forget the position of the one before.
    if (minPosition > (head?.position ?? 0n)) {
      request.reading = null
      return done(new NotYetError(minPosition, head ?? reads.primaryHead()))
    }
    if (head !== undefined) setPosition(reply, head)
    done(null, payload)
  })
}

/** From now on the request reads there, until it is abandoned. */
export function begin(request: FastifyRequest, reading: Reading): void {
  request.reading = reading
  request.store = boundReads(reading.store, {
    signal: request.abandoned,
    around: read => {
      request.countStatement()
      return read()
    },
  })
}
