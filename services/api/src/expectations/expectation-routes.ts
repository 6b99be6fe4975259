// What a gateway expects to be paid. Every route covers only the token's gateway; one is for everybody who knows an id.
import {
  cancelExpectation,
  createExpectation,
  ExpectationCountingError,
  OPEN_EXPECTATIONS,
} from '@payment-tracking/store/admin'
import { listExpectations, readExpectation } from '@payment-tracking/store/reads'
import { type Store } from '@payment-tracking/store/core'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { ApiServer } from '../api-server.js'
import { authorOf } from '../gateway-auth/note-changes.js'
import { gatewayOf, securityOf, type GatewayAuth } from '../gateway-auth/gateway-auth.js'
import { ApiError, InvalidParameterError, NotFoundError } from '../http/api-errors.js'
import {
  ExpectationExistsAnswer,
  NOT_FOUND_REFUSAL,
  READ_REFUSALS,
  refusal,
} from '../http/error-answer-schema.js'
import { Cursor, Limit, PublicKey, TrackingId } from '../http/fields.js'
import { offerNextPage } from '../http/list-cursor.js'
import { KeyedSemaphore } from '../limits/keyed-semaphore.js'
import {
  checkEnd,
  ExpectationAnswer,
  NewExpectationBody,
  PublicExpectationAnswer,
  State,
  toExpectationAnswer,
  toNewExpectation,
} from './expectation-schemas.js'
import { parseExactAmounts } from './parse-exact-amount.js'
import { waitUntilCounted } from './wait-until-counted.js'

export interface ExpectationRouteParts {
  store: Store
  auth: GatewayAuth
  nowMs: () => number
}

const tags = ['expectations']
const READERS = ['expectations', 'merchant:read'] as const
const REFUSALS = {
  401: refusal('There is no token or API key, or none that counts.'),
  403: refusal('The token is of another gateway, or the API key lacks the scope.'),
  ...READ_REFUSALS,
}
const Id = Type.String({ format: 'uuid', description: 'id of the expectation' })
const gateway = PublicKey('the gateway of the token')
const PATH = '/v1/gateway/:gateway/expectations'

const noExpectation = () => new NotFoundError('There is no such expectation.')

export async function addExpectationRoutes(
  app: ApiServer,
  { store, auth, nowMs }: ExpectationRouteParts,
): Promise<void> {
  const [reading, writing] = [auth.require(READERS), auth.require('expectations')]
  const [reads, writes] = [securityOf(READERS), securityOf('expectations')]
  const own = (request: FastifyRequest & { params: { gateway: string } }): string => {
    if (request.params.gateway !== gatewayOf(request))
      throw new ApiError('FORBIDDEN', 'The token is of another gateway.')
    return request.params.gateway
  }
  const find = async (id: string, ofGateway?: string) => {
    const found = await readExpectation(store, id, ofGateway)
    if (!found) throw noExpectation()
    return toExpectationAnswer(found.record)
  }

  const slots = new KeyedSemaphore({ ofKey: AT_ONCE_OF_GATEWAY })
  /** A request that nobody waits for any more does not begin. */
  const inTurn = <T>(request: FastifyRequest, work: () => Promise<T>) =>
    slots.run(gatewayOf(request), request.abandoned, work)

  app.get(
    PATH,
    {
      preParsing: reading,
      schema: {
        operationId: 'listExpectations',
        tags,
        security: reads,
        summary: 'List expectations',
        description: 'What the gateway expects, newest first. Follow the `link` header for more.',
        params: Type.Object({ gateway }),
        querystring: Type.Object({
          state: Type.Optional(State),
          trackingId: Type.Optional(TrackingId('only those of this tracking ID')),
          limit: Limit(),
          cursor: Cursor(),
        }),
        response: { 200: Type.Array(ExpectationAnswer), ...REFUSALS },
      },
    },
    async (request, reply) => {
      const page = await listExpectations(store, own(request), request.query)
      if (page === null) throw new InvalidParameterError('cursor', 'is no cursor of this list')
      if (page.next !== null) offerNextPage(request, reply, page.next)
      return page.items.map(toExpectationAnswer)
    },
  )

  app.get(
    `${PATH}/:id`,
    {
      preParsing: reading,
      schema: {
        operationId: 'getExpectation',
        tags,
        security: reads,
        summary: 'Get an expectation',
        description: 'With the sum of the payments that count, and the newest of them.',
        params: Type.Object({ gateway, id: Id }),
        response: { 200: ExpectationAnswer, ...NOT_FOUND_REFUSAL, ...REFUSALS },
      },
    },
    request => find(request.params.id, own(request)),
  )

  app.get(
    '/v1/expectations/:id',
    {
      schema: {
        operationId: 'getPublicExpectation',
        tags,
        summary: 'Get an expectation by its ID alone',
        description: "For the buyer's page: the id is the secret. Without the merchant's reference.",
        params: Type.Object({ id: Id }),
        response: { 200: PublicExpectationAnswer, ...NOT_FOUND_REFUSAL, ...READ_REFUSALS },
      },
    },
    (request, reply) => {
      void reply.header('cache-control', 'no-store')
      return find(request.params.id)
    },
  )

  await app.register((scope: ApiServer) => {
    parseExactAmounts(scope)
    scope.post(
      PATH,
      {
        preParsing: writing,
        schema: {
          operationId: 'createExpectation',
          tags,
          security: writes,
          summary: 'Create an expectation',
          description: `What counts is every payment with this tracking ID, recipient and token, through whichever gateway, also one that is stored already. A gateway uses the three together once for ever. The same request again answers the same record. Payments that are stored already are counted at once: while they are many, the answer has those that are counted, and changes are told as ever. At most ${OPEN_EXPECTATIONS} are open at once.`,
          params: Type.Object({ gateway }),
          body: NewExpectationBody,
          response: {
            200: { ...ExpectationAnswer, description: 'It was created before.' },
            201: { ...ExpectationAnswer, description: 'Created.' },
            409: {
              ...ExpectationExistsAnswer,
              description: 'Another one has this tracking ID, recipient and token; or too many are open.',
            },
            ...REFUSALS,
          },
        },
      },
      async (request, reply) => {
        const gateway = own(request)
        const wanted = toNewExpectation(gateway, request.body)
        const created = await inTurn(request, () =>
          createExpectation(store, wanted, () => checkEnd(wanted, nowMs())),
        )
        const { id } = created.record
        if (created.isNew) request.log.info({ gateway, expectation: id }, 'expectation.created')
        void reply.code(created.isNew ? 201 : 200)
        const known = created.awaitsCount ? await waitUntilCounted(store, id, request.abandoned) : created
        return toExpectationAnswer(known.record)
      },
    )

    scope.post(
      `${PATH}/:id/cancel`,
      {
        preParsing: writing,
        schema: {
          operationId: 'cancelExpectation',
          tags,
          security: writes,
          summary: 'Cancel an expectation',
          description:
            'What is not paid, also where a part is: from then on nothing counts. Its tracking ID, recipient and token stay used.',
          params: Type.Object({ gateway, id: Id }),
          response: {
            200: ExpectationAnswer,
            409: refusal('It is paid, or stored payments are still being counted.'),
            ...NOT_FOUND_REFUSAL,
            ...REFUSALS,
          },
        },
      },
      async request => {
        const gateway = own(request)
        const { id } = request.params
        const cancel = () => inTurn(request, () => cancelExpectation(store, gateway, id, authorOf(request)))
        const cancelled = await cancel().catch(async (error: unknown) => {
          if (!(error instanceof ExpectationCountingError)) throw error
          await waitUntilCounted(store, id, request.abandoned)
          return cancel()
        })
        if (!cancelled) throw noExpectation()
        if (cancelled.isNew) request.log.info({ gateway, expectation: id }, 'expectation.cancelled')
        return toExpectationAnswer(cancelled.record)
      },
    )
    return Promise.resolve()
  })
}

/** Requests of one gateway that write at once on one process: each has a connection to Postgres, and others need some. */
const AT_ONCE_OF_GATEWAY = 2
