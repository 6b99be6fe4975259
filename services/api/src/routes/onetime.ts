import { Type } from 'typebox'
import { listOneTimePayments } from '@payment-tracking/store'
import { NotFoundError } from '../http/api-errors.js'
import { Envelope, inEnvelope } from '../schemas/envelope.js'
import { NOT_FOUND_REFUSAL, READ_REFUSALS } from '../schemas/error-answer.js'
import { IncludeRetracted, Limit, Offset, PublicKey, TrackingId } from '../schemas/fields.js'
import { OneTimePayment, toOneTimePayment } from '../schemas/one-time-payment.js'
import type { AddRoutes } from './add-routes.js'

/** The payments of a tracking ID. */
export const onetimeRoute: AddRoutes = (app, { store, tokens }) => {
  app.get(
    '/v1/onetime/:trackingId',
    {
      schema: {
        operationId: 'getOneTimePayment',
        tags: ['payments'],
        summary: 'Find the payment of a tracking ID',
        description:
          'Newest first. `data` is the record when the page holds exactly one, an array when it holds several.',
        params: Type.Object({ trackingId: TrackingId('payment tracking ID') }),
        querystring: Type.Object({
          recipient: Type.Optional(PublicKey('only payments to this recipient')),
          retracted: IncludeRetracted(),
          limit: Limit(),
          offset: Offset(),
        }),
        response: {
          200: Envelope('OneTimePayments', Type.Union([OneTimePayment, Type.Array(OneTimePayment)])),
          ...NOT_FOUND_REFUSAL,
          ...READ_REFUSALS,
        },
      },
    },
    async request => {
      const { trackingId } = request.params
      const payments = await listOneTimePayments(store, trackingId, request.query)
      const { retracted } = request.query
      const [only, ...others] = payments.map(payment => toOneTimePayment(payment, tokens, retracted))
      if (only === undefined) throw new NotFoundError('There is no payment for this tracking ID here.')
      return inEnvelope(others.length === 0 ? only : [only, ...others])
    },
  )
}
