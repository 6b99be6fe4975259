// Common to all lists of events: reading a page, and offering the next page.
import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  decodeEventCursor,
  encodeEventCursor,
  eventOrderOf,
  listEvents,
  type EventFilter,
  type EventKey,
  type Store,
  type StoredEvent,
} from '@payment-tracking/store'
import { InvalidParameterError } from '../http/api-errors.js'
import { nameMissingFilter } from '../http/name-missing-filter.js'
import { offerNextPage } from '../http/list-cursor.js'
import { toEventRecord, type EventRecord } from '../schemas/event-record.js'
import type { Tokens } from '../schemas/tokens.js'
import { VERSION } from '../version.js'

export interface PageQuery {
  limit: number
  offset: number
  cursor?: string | undefined
}

/**
 * The changeable parts of a page: its events, and their finality, retractions and policies. Hashing the whole answer
 * would take a tenth of the answer's time.
 */
const tagOf = (events: readonly StoredEvent[]): string => {
  const parts = events.map(({ id, finality, retracted, payment }) =>
    [id, finality, retracted, payment?.recipient, payment?.payer, payment?.tokenMint, payment?.seq].join(),
  )
  return `W/"${hash('sha1', [VERSION, ...parts].join(), 'base64')}"`
}

const keyOf = ({ id, slot, index, timestamp }: StoredEvent): EventKey => ({
  ...{ id, slot, index },
  occurredAt: new Date(timestamp),
})

/** Reads a page of events, and offers the next page if this page is full. */
export async function answerEvents(
  { store, tokens }: { store: Store; tokens: Tokens },
  filter: EventFilter,
  { limit, offset, cursor }: PageQuery,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<EventRecord[]> {
  const order = eventOrderOf(filter)
  const after = cursor === undefined ? undefined : decodeEventCursor(order, cursor)
  if (after === null) throw new InvalidParameterError('cursor', 'is no cursor of this list')
  const events = await listEvents(store, filter, { limit, offset, after }).catch(
    nameMissingFilter({ ...filter, offset }),
  )
  const last = events.at(-1)
  if (events.length === limit && last) offerNextPage(request, reply, encodeEventCursor(order, keyOf(last)))
  void reply.header('etag', tagOf(events))
  return events.map(event => toEventRecord(event, tokens, filter.retracted))
}
