import { Type } from 'typebox'
import { ARCHIVED_REFUSAL, READ_REFUSALS } from '../http/error-answer-schema.js'
import { ListFilters, toEventFilter } from './event-query.js'
import { EventRecords } from './event-record.js'
import { Cursor, Limit, Offset } from '../http/fields.js'
import { answerEvents, isEmpty } from './event-list.js'
import { markUnknownName } from '../http/mark-unknown-name.js'
import type { AddRoutes } from '../route-parts.js'

/** All events, with all filters combined. */
export const eventsRoute: AddRoutes = (app, { tokens }) => {
  app.get(
    '/v1/events',
    {
      config: { reads: 'replicas' },
      schema: {
        operationId: 'listEvents',
        tags: ['events'],
        summary: 'List events',
        description:
          'All filters combine. Newest first by (timestamp, slot, index, id); with slot bounds alone by (slot, timestamp, index, id). A name of which no event was ever stored is named in the header `x-unknown-event-name`.',
        querystring: Type.Object({ ...ListFilters, limit: Limit(), offset: Offset(), cursor: Cursor() }),
        response: { 200: EventRecords, ...ARCHIVED_REFUSAL, ...READ_REFUSALS },
      },
    },
    async (request, reply) => {
      const filter = toEventFilter(request.query)
      const page = await answerEvents(tokens, filter, request.query, request, reply)
      if (isEmpty(page)) await markUnknownName(request, reply, filter.name)
      return page
    },
  )
}
