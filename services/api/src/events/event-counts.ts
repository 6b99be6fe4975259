import { countEvents, listEventNames } from '@payment-tracking/store/reads'
import { Type } from 'typebox'
import { withoutProgramPrefix } from '../http/formats.js'
import { nameMissingFilter } from '../http/name-missing-filter.js'
import { READ_REFUSALS } from '../http/error-answer-schema.js'
import { EventName, OfGateway, readTimeBounds, TimeBounds } from './event-query.js'
import { Integer } from '../http/fields.js'
import { markUnknownName } from '../http/mark-unknown-name.js'
import type { AddRoutes } from '../route-parts.js'

/** The number of events, in total and by name. */
export const eventCountRoutes: AddRoutes = app => {
  app.get(
    '/v1/events/count',
    {
      config: { reads: 'replicas' },
      schema: {
        operationId: 'countEvents',
        tags: ['events'],
        summary: 'Count events',
        description:
          'Counts the events that lists would hold: what was retracted is not counted. Bounds of time include both ends. A name of which no event was ever stored is named in the header `x-unknown-event-name`.',
        querystring: Type.Object({
          eventName: Type.Optional(EventName()),
          gateway: Type.Optional(OfGateway()),
          ...TimeBounds,
        }),
        response: {
          200: Type.Object({ count: Integer('how many events match', 509) }, { title: 'EventCount' }),
          ...READ_REFUSALS,
        },
      },
    },
    async (request, reply) => {
      const { eventName, gateway } = request.query
      const name = eventName === undefined ? undefined : withoutProgramPrefix(eventName)
      const filter = { name, gateway, ...readTimeBounds(request.query) }
      const count = await countEvents(request.store, filter).catch(nameMissingFilter(filter))
      if (count === 0n) await markUnknownName(request, reply, name)
      return { count }
    },
  )
  app.get(
    '/v1/events/names',
    {
      config: { reads: 'replicas' },
      schema: {
        operationId: 'listEventNames',
        tags: ['events'],
        summary: 'List event names',
        description: 'Sorted, and without the prefix of the program.',
        querystring: Type.Object({}),
        response: {
          200: Type.Array(Type.String({ examples: ['PaymentRecord'] }), { description: 'Sorted.' }),
          ...READ_REFUSALS,
        },
      },
    },
    request => listEventNames(request.store),
  )
}
