// Common to all lists of events: reading a page, and offering the next page.
import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  EVENT_CURSORS,
  eventOrderOf,
  findArchivedEvent,
  findArchivedMonth,
  readEventPage,
  type EventFilter,
  type EventKey,
} from '@payment-tracking/store/reads'
import { type Store } from '@payment-tracking/store/core'
import { ArchivedError } from '../http/api-errors.js'
import { nameMissingFilter } from '../http/name-missing-filter.js'
import { offerNextPage, readKey } from '../http/list-cursor.js'
import { tagPage } from '../http/tag-page.js'
import type { Tokens } from '@payment-tracking/domain'

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

export const isEmpty = (page: Buffer): boolean => page.length === '[]'.length

/**
 * The month of the archived event that a page was asked by; null for a page of events in lists. Asked after the page: it may
 * be archived meanwhile.
 * @param after the event of the cursor
 */
async function findAskedMonth(
  store: Store,
  filter: EventFilter,
  { after, isLast, count }: { after: EventKey | undefined; isLast: boolean; count: number },
): Promise<string | null> {
  if (after !== undefined) return isLast ? findArchivedEvent(store, after.id) : null
  const { signature } = filter
  return signature === undefined || count > 0 ? null : findArchivedMonth(store, { ...filter, signature })
}

/** Reads a page of events, and offers the next page if this page is full. @throws ArchivedError */
export async function answerEvents(
  tokens: Tokens,
  filter: EventFilter,
  { limit, offset, cursor }: PageQuery,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Buffer> {
  const list = EVENT_CURSORS[eventOrderOf(filter)]
  const after = readKey(list, cursor)
  const page = await readEventPage(request.store, filter, { limit, offset, after }, tokens).catch(
    nameMissingFilter({ ...filter, offset }),
  )
  const isLast = page.count < limit
  const month = await findAskedMonth(request.store, filter, { after, isLast, count: page.count })
  if (month !== null) throw new ArchivedError(month)
  if (!isLast && page.last) offerNextPage(request, reply, list.write(page.last))
  tagPage(reply, page)
  // Bytes are written to the socket as they are. A long text would be measured twice, and copied by each collection.
  void reply.type('application/json; charset=utf-8')
  return bracketed(page.text)
}
