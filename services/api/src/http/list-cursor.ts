// A cursor carries the filters of its list, so that a client sends only the cursor: `<key>.<filters>`, with the
// filters as a query string in base64url. The server reads and checks these filters like filters from a client.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ApiServer } from '../api-server.js'
import { InvalidParameterError } from './api-errors.js'
import { FORMATS } from './formats.js'
import { parseQueryString, type SentQuery } from './query-string.js'
import { knownParameters } from './ignore-unknown-parameters.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** The query of a list with the filters of its cursor. */
    listQuery: SentQuery
  }
}

/** Parameters that select a page of a list, not the list. */
const OF_PAGE = new Set(['cursor', 'offset'])
/** Parameters that a client may change between pages. */
const CHANGEABLE = new Set(['limit'])

/** What the cursor of a query holds. Null without filters, and for text that is no cursor, which a later check refuses. */
export function readListCursor(sent: SentQuery): { key: string; filters: SentQuery } | null {
  const text = sent.cursor?.length === 1 ? sent.cursor[0] : undefined
  if (!text || !FORMATS.cursor!.accepts(text)) return null
  const [key, filters] = text.split('.') as [string, string?]
  return filters === undefined
    ? null
    : { key, filters: parseQueryString(Buffer.from(filters, 'base64url').toString()) }
}

/** @throws InvalidParameterError when the client sends a filter that differs from the cursor's filter */
function addFilters(sent: SentQuery, known: Readonly<Record<string, unknown>>): SentQuery {
  const cursor = readListCursor(sent)
  if (cursor === null) return sent
  const query = Object.assign(Object.create(null) as SentQuery, sent, { cursor: [cursor.key] })
  for (const [name, values] of Object.entries(cursor.filters)) {
    if (OF_PAGE.has(name) || !Object.hasOwn(known, name))
      throw new InvalidParameterError('cursor', 'is no cursor of this list')
    const own = query[name]
    if (own !== undefined && !CHANGEABLE.has(name) && own.join() !== values.join()) {
      throw new InvalidParameterError('cursor', `is of a list with another ${name}; send the cursor alone`)
    }
    if (own === undefined) query[name] = values
  }
  return query
}

/** Adds the filters of a cursor to the query of every list that accepts a cursor. */
export function readListCursors(app: ApiServer): void {
  app.decorateRequest('listQuery')
  app.addHook('preValidation', (request, _reply, done) => {
    const known = knownParameters(request)
    if ('cursor' in known) {
      try {
        request.query = request.listQuery = addFilters(request.query as SentQuery, known)
      } catch (error) {
        return done(error as Error)
      }
    }
    done()
  })
}

/** The key that a cursor was written for, if one was sent. @throws InvalidParameterError */
export function readKey<Key>(
  list: { read(cursor: string): Key | null },
  cursor: string | undefined,
): Key | undefined {
  const key = cursor === undefined ? undefined : list.read(cursor)
  if (key === null) throw new InvalidParameterError('cursor', 'is no cursor of this list')
  return key
}

/** The key of a list by id. @throws InvalidParameterError */
export function readIdCursor(text: string): bigint {
  if (!/^[1-9]\d{0,17}$/.test(text)) throw new InvalidParameterError('cursor', 'is no cursor of this list')
  return BigInt(text)
}

/**
 * Sends a client the key of the next page: in `x-next-cursor`, and in `link`, which needs only the cursor. The link
 * has no host, so that it works behind any proxy.
 * @param key where the next page begins, as the store wrote it
 */
export function offerNextPage(request: FastifyRequest, reply: FastifyReply, key: string): void {
  const filters = new URLSearchParams()
  for (const [name, values] of Object.entries(request.listQuery)) {
    const value = values.find(text => text !== '')
    if (!OF_PAGE.has(name) && value !== undefined && value !== null) filters.set(name, value)
  }
  const text = filters.toString()
  const cursor = text === '' ? key : `${key}.${Buffer.from(text).toString('base64url')}`
  const [path] = request.url.split('?', 1) as [string]
  // A header takes only plain ASCII from the client, without characters that could end the link.
  const safe = path.replace(/[^\x21-\x7e]|[<>"\\]/g, character => encodeURIComponent(character))
  void reply.header('x-next-cursor', cursor).header('link', `<${safe}?cursor=${cursor}>; rel="next"`)
}
