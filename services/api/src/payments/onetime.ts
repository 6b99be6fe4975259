import { Type } from 'typebox'
import { readOneTimePage } from '@payment-tracking/store/reads'
import { NotFoundError } from '../http/api-errors.js'
import { Envelope, inEnvelope } from '../http/envelope.js'
import { NOT_FOUND_REFUSAL, READ_REFUSALS } from '../http/error-answer-schema.js'
import { IncludeRetracted, Limit, Offset, PublicKey, TrackingId } from '../http/fields.js'
import { OneTimePayment, OneTimePayments } from './one-time-payment.js'
import { tagPage } from '../http/tag-page.js'
import type { AddRoutes } from '../route-parts.js'

/** The payments of a tracking ID. */
export const onetimeRoute: AddRoutes = (app, { tokens }) => {
  app.get(
    '/v1/onetime/:trackingId',
    {
      config: { reads: 'replicas' },
      schema: {
        operationId: 'getOneTimePayment',
        tags: ['payments'],
        summary: 'Get a one-time payment',
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
          200: Envelope('OneTimePayments', Type.Union([OneTimePayment, OneTimePayments])),
          ...NOT_FOUND_REFUSAL,
          ...READ_REFUSALS,
        },
      },
    },
    async (request, reply) => {
      const page = await readOneTimePage(request.store, request.params.trackingId, request.query, tokens)
      if (page.count === 0) throw new NotFoundError('There is no payment for this tracking ID here.')
      tagPage(reply, page)
      return inEnvelope(page.count === 1 ? page.text : `[${page.text}]`)
    },
  )
}
