import {
  findArchivedMonth,
  listTracedDeliveries,
  listTracedWaits,
  readPaymentTrace,
} from '@payment-tracking/store/reads'
import { Type } from 'typebox'
import type { ApiServer } from '../api-server.js'
import { securityOf, type GatewayAuth } from '../gateway-auth/gateway-auth.js'
import { ArchivedError, NotFoundError } from '../http/api-errors.js'
import { ARCHIVED_REFUSAL, NOT_FOUND_REFUSAL, READ_REFUSALS, refusal } from '../http/error-answer-schema.js'
import { Signature } from '../http/fields.js'
import { PaymentTraceRecord, toTraceRecord } from './payment-trace-record.js'

/** Adds the route that reports each stage of a transaction's payments. */
export function addTraceRoute(app: ApiServer, { auth }: { auth: GatewayAuth }): void {
  app.get(
    '/v1/payments/:signature/trace',
    {
      config: { reads: 'replicas' },
      schema: {
        operationId: 'tracePayments',
        tags: ['payments'],
        summary: 'Trace a transaction',
        description:
          "What became of its payments. From the chain to the stream, into the store and out again. With a gateway's token its payments show their deliveries too, and which webhooks wait for what.",
        security: [{}, ...securityOf('webhooks:read')],
        params: Type.Object({ signature: Signature('transaction signature') }),
        querystring: Type.Object({}),
        response: {
          200: Type.Array(PaymentTraceRecord, { description: 'In their order in the transaction.' }),
          401: refusal('A token was sent, and it does not count.'),
          403: refusal('An API key was sent that lacks the scope `webhooks:read`.'),
          ...NOT_FOUND_REFUSAL,
          ...ARCHIVED_REFUSAL,
          ...READ_REFUSALS,
        },
      },
    },
    async (request, reply) => {
      const { store } = request
      const caller = await auth.authenticateIfGiven(request, 'webhooks:read')
      if (caller) void reply.header('cache-control', 'private, no-store')
      void reply.header('vary', 'authorization, cookie')
      const { signature } = request.params
      const traces = await readPaymentTrace(store, signature)
      if (traces.length === 0) {
        const month = await findArchivedMonth(store, { signature, payments: true, retracted: true })
        if (month !== null) throw new ArchivedError(month)
        throw new NotFoundError('There is no payment in this transaction here.')
      }
      const own = traces.filter(({ gateway }) => gateway === caller?.gateway)
      if (caller === null) return traces.map(trace => toTraceRecord(trace, null))
      const ids = own.map(({ eventId }) => eventId)
      const [deliveries, waits] = await Promise.all([
        listTracedDeliveries(store, ids, caller.gateway),
        listTracedWaits(store, ids, caller.gateway),
      ])
      return traces.map(trace => toTraceRecord(trace, own.includes(trace) ? { deliveries, waits } : null))
    },
  )
}
