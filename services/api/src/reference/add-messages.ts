import type { FastifyRequest } from 'fastify'
import type { ApiServer } from '../api-server.js'
import { buildAsyncApi, serversOf } from './asyncapi-document.js'
import type { JSONObject } from './json-object.js'
import { PLACES, REFERENCE_POLICY } from '../pages/frame.js'
import { renderMessagesPage } from './messages-page.js'

const MESSAGES_PAGE = PLACES.messages.href

export interface MessageReferenceOptions {
  environment: string
  version: string
  /** the address by which a client reached this server */
  baseUrlOf: (request: FastifyRequest) => string
}

/** Serves the AsyncAPI document and a page that shows it. */
export function addMessages(
  app: ApiServer,
  { environment, version, baseUrlOf }: MessageReferenceOptions,
): void {
  let document: JSONObject | undefined
  const read = () => (document ??= buildAsyncApi(version))
  let json: string | undefined
  let page: string | undefined
  app.get('/asyncapi.json', { schema: { hide: true } }, (request, reply) => {
    json ??= JSON.stringify(read()).slice(1)
    const servers = JSON.stringify(serversOf(baseUrlOf(request)))
    return reply
      .type('application/json; charset=utf-8')
      .serializer(String)
      .send(`{"servers":${servers},${json}`)
  })
  const options = { schema: { hide: true } } as const
  app.get(MESSAGES_PAGE.slice(0, -1), options, (_request, reply) => reply.redirect(MESSAGES_PAGE, 301))
  app.get(MESSAGES_PAGE, options, (_request, reply) => {
    page ??= renderMessagesPage(read(), environment)
    return reply
      .header('content-security-policy', REFERENCE_POLICY)
      .header('cache-control', 'public, max-age=3600')
      .type('text/html; charset=utf-8')
      .serializer(String)
      .send(page)
  })
}
