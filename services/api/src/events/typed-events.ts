// Lists of one event name each, for clients of the incumbent.
import { listEventNames } from '@payment-tracking/store/reads'
import { Type } from 'typebox'
import { withoutProgramPrefix } from '../http/formats.js'
import { ARCHIVED_REFUSAL, READ_REFUSALS } from '../http/error-answer-schema.js'
import { EventName } from './event-query.js'
import { EventRecords } from './event-record.js'
import { Cursor, IncludeRetracted, Limit, Offset } from '../http/fields.js'
import { answerEvents, isEmpty } from './event-list.js'
import { markUnknownName } from '../http/mark-unknown-name.js'
import type { AddRoutes } from '../route-parts.js'

const PROGRAM_PREFIX = 'tributary_'

export const typedEventRoutes: AddRoutes = (app, { tokens }) => {
  app.get(
    '/v1/events/typed/:eventName',
    {
      config: { reads: 'replicas' },
      schema: {
        operationId: 'listEventsOfName',
        tags: ['events'],
        summary: 'List events of one name',
        description: "The same as `/v1/events?eventName=`. The name may have the program's prefix.",
        params: Type.Object({ eventName: EventName() }),
        querystring: Type.Object({
          retracted: IncludeRetracted(),
          limit: Limit(),
          offset: Offset(),
          cursor: Cursor(),
        }),
        response: { 200: EventRecords, ...ARCHIVED_REFUSAL, ...READ_REFUSALS },
      },
    },
    async (request, reply) => {
      const filter = {
        name: withoutProgramPrefix(request.params.eventName),
        retracted: request.query.retracted,
      }
      const page = await answerEvents(tokens, filter, request.query, request, reply)
      if (isEmpty(page)) await markUnknownName(request, reply, filter.name)
      return page
    },
  )
  app.get(
    '/v1/events/names/tributary',
    {
      config: { reads: 'replicas' },
      schema: {
        operationId: 'listPrefixedEventNames',
        tags: ['events'],
        summary: 'List event names with prefix',
        description: "Sorted, for clients that expect the program's prefix in each name.",
        querystring: Type.Object({}),
        response: {
          200: Type.Array(Type.String({ examples: ['tributary_PaymentRecord'] }), { description: 'Sorted.' }),
          ...READ_REFUSALS,
        },
      },
    },
    async request => (await listEventNames(request.store)).map(name => `${PROGRAM_PREFIX}${name}`),
  )
}
