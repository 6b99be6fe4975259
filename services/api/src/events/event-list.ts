// Common to all lists of events: reading a page, and offering the next page.
import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  decodeEventCursor,
  encodeEventCursor,
  eventOrderOf,
  readEventPage,
  type EventFilter,
} from '@payment-tracking/store'
import { InvalidParameterError } from '../http/api-errors.js'
import { nameMissingFilter } from '../http/name-missing-filter.js'
import { offerNextPage } from '../http/list-cursor.js'
import { tagPage } from '../http/tag-page.js'
import type { Tokens } from '../tokens.js'

const [OPEN, CLOSE] = ['['.charCodeAt(0), ']'.charCodeAt(0)]

export interface PageQuery {
  limit: number
  offset: number
  cursor?: string | undefined
}

/** The bytes of `[text]`: without the text in brackets, which would be another copy for the collector. */
function bracketed(text: string): Buffer {
  const bytes = Buffer.allocUnsafe(Buffer.byteLength(text) + 2)
  bytes[0] = OPEN
  bytes[bytes.length - 1] = CLOSE
  bytes.write(text, 1)
  return bytes
}

/** Reads a page of events, and offers the next page if this page is full. */
export async function answerEvents(
  tokens: Tokens,
  filter: EventFilter,
  { limit, offset, cursor }: PageQuery,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Buffer> {
  const order = eventOrderOf(filter)
  const after = cursor === undefined ? undefined : decodeEventCursor(order, cursor)
  if (after === null) throw new InvalidParameterError('cursor', 'is no cursor of this list')
  const page = await readEventPage(request.store, filter, { limit, offset, after }, tokens).catch(
    nameMissingFilter({ ...filter, offset }),
  )
  if (page.count === limit && page.last) offerNextPage(request, reply, encodeEventCursor(order, page.last))
  tagPage(reply, page)
  // Bytes are written to the socket as they are. A long text would be measured twice, and copied by each collection.
  void reply.type('application/json; charset=utf-8')
  return bracketed(page.text)
}
