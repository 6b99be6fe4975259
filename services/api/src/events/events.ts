import { Type } from 'typebox'
import { ARCHIVED_REFUSAL, READ_REFUSALS } from '../http/error-answer-schema.js'
import { ListFilters, toEventFilter } from './event-query.js'
import { EventRecords } from './event-record.js'
import { Cursor, Limit, Offset } from '../http/fields.js'
import { answerEvents } from './event-list.js'
import type { AddRoutes } from '../add-routes.js'

/** All events, with all filters combined. */
export const eventsRoute: AddRoutes = (app, { tokens }) => {
  app.get(
    '/v1/events',
    {
      config: { reads: 'replicas' },
      schema: {
        operationId: 'listEvents',
        tags: ['events'],
        summary: 'Find events',
        description:
          'All filters combine. Newest first by (timestamp, slot, index, id); with slot bounds alone by (slot, timestamp, index, id).',
        querystring: Type.Object({ ...ListFilters, limit: Limit(), offset: Offset(), cursor: Cursor() }),
        response: { 200: EventRecords, ...ARCHIVED_REFUSAL, ...READ_REFUSALS },
      },
    },
    async (request, reply) => {
      return answerEvents(tokens, toEventFilter(request.query), request.query, request, reply)
    },
  )
}
