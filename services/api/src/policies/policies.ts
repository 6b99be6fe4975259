// Policies, one route for each family, for clients of the incumbent: the lookups and records of /v1/subscriptions.
import { listSubscriptions, type StoredSubscription } from '@payment-tracking/store/reads'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { NotFoundError } from '../http/api-errors.js'
import { Envelope, inEnvelope } from '../http/envelope.js'
import { ARCHIVED_REFUSAL, NOT_FOUND_REFUSAL, READ_REFUSALS } from '../http/error-answer-schema.js'
import { EventRecords } from '../events/event-record.js'
import { Cursor, IncludeRetracted, Limit, Offset, PublicKey } from '../http/fields.js'
import { PolicyRecord, toPolicyRecord } from './policy-record.js'
import { answerEvents } from '../events/event-list.js'
import { answerSubscriptions, checkSentLookup, readRecordParts, SubscriptionQuery } from './subscriptions.js'
import type { AddRoutes } from '../route-parts.js'

const FAMILIES = [
  { family: 'regular', path: 'payment-policies', id: 'PaymentPolic', what: 'payment policy' },
  { family: 'composable', path: 'composable-policies', id: 'ComposablePolic', what: 'composable policy' },
] as const

export const policyRoutes: AddRoutes = (app, parts) => {
  const { tokens } = parts
  const tags = ['subscriptions']
  for (const { family, path, id, what } of FAMILIES) {
    const toRecords = async (request: FastifyRequest, policies: readonly StoredSubscription[]) => {
      const recordParts = await readRecordParts(parts, request, policies)
      return policies.map(policy => toPolicyRecord(policy, recordParts))
    }
    app.get(
      `/v1/${path}`,
      {
        config: { reads: 'replicas' },
        schema: {
          operationId: `list${id}ies`,
          tags,
          summary: `List ${what.slice(0, -1)}ies`,
          description: 'The lookups of `/v1/subscriptions`, for one family of policies.',
          querystring: SubscriptionQuery,
          response: { 200: Envelope(`${id}ies`, Type.Array(PolicyRecord)), ...READ_REFUSALS },
        },
        preParsing: checkSentLookup,
      },
      async (request, reply) =>
        inEnvelope(await toRecords(request, await answerSubscriptions(parts, request, reply, { family }))),
    )
    const params = Type.Object({ address: PublicKey('the policy') })
    app.get(
      `/v1/${path}/:address`,
      {
        config: { reads: 'replicas' },
        schema: {
          operationId: `get${id}y`,
          tags,
          summary: `Get a ${what}`,
          description: 'The policy that lives at this address now, as `/v1/subscriptions` shows it.',
          params,
          response: { 200: Envelope(`${id}y`, PolicyRecord), ...NOT_FOUND_REFUSAL, ...READ_REFUSALS },
        },
      },
      async request => {
        const filter = { address: request.params.address, family }
        const [policy] = await listSubscriptions(request.store, filter, { limit: 1 })
        if (!policy) throw new NotFoundError('There is no such policy.')
        return inEnvelope((await toRecords(request, [policy]))[0]!)
      },
    )
    app.get(
      `/v1/${path}/:address/executions`,
      {
        config: { reads: 'replicas' },
        schema: {
          operationId: `list${id}yExecutions`,
          tags,
          summary: `List payments of a ${what}`,
          description: 'Events, newest first, of every life of the address.',
          params,
          querystring: Type.Object({
            retracted: IncludeRetracted(),
            limit: Limit(),
            offset: Offset(),
            cursor: Cursor(),
          }),
          response: {
            200: Envelope(`${id}yExecutions`, EventRecords),
            ...ARCHIVED_REFUSAL,
            ...READ_REFUSALS,
          },
        },
      },
      async (request, reply) => {
        const filter = {
          name: family === 'regular' ? 'PaymentRecord' : 'ComposableExecuted',
          paymentPolicy: request.params.address,
          retracted: request.query.retracted,
        }
        return inEnvelope(await answerEvents(tokens, filter, request.query, request, reply))
      },
    )
  }
}
