import swagger from '@fastify/swagger'
import type { FastifyReply } from 'fastify'
import type { ApiServer } from '../api-server.js'
import type { ApiConfig } from '../config.js'
import type { JSONObject } from './json-object.js'
import { API_DESCRIPTION, withComponents, withScopes } from './openapi-document.js'
import { describeWebhooks } from './describe-webhooks.js'
import { baseUrlOf } from '../http/base-url.js'
import { MIN_POSITION, readsDatabase } from '../http/choose-database.js'
import { addMessages } from './add-messages.js'
import { buildAsyncApi } from './asyncapi-document.js'
import { listSections } from '../documents/add-documents.js'
import { PLACES, REFERENCE, REFERENCE_POLICY, SEARCH } from '../pages/frame.js'
import { listOperations, renderRestPage } from './rest-page.js'
import { renderSearchPage, type Found } from './search.js'
import { renderStartPage } from './start-page.js'
import { VERSION } from '../version.js'

const THIS_SERVER = { url: '/', description: 'this server' }

/** Collects the schemas of every later route. */
export async function collectSchemas(app: ApiServer, version: string): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Payment tracking',
        version,
        summary: 'Subscriptions and payments, read from the chain',
        description: API_DESCRIPTION,
        contact: { name: 'The operator of this server' },
        license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
      },
      servers: [THIS_SERVER],
      // Reads are open; routes that need a gateway declare the requirement themselves.
      security: [],
      components: {
        securitySchemes: {
          gatewayToken: {
            type: 'http',
            scheme: 'bearer',
            bearerFormat: 'JWT',
            description: "a gateway's token, from its signed challenge",
          },
          apiKey: {
            type: 'http',
            scheme: 'bearer',
            description: 'an API key of the gateway with the scope that the route names',
          },
          session: {
            type: 'apiKey',
            in: 'cookie',
            name: 'session-production',
            description:
              'the cookie of `POST /v1/session`, in requests of this service’s own pages alone; it ends in the name of the environment and the port of the address, if there is one, and over https begins with `__Host-`',
          },
          proofOfPayment: {
            type: 'http',
            scheme: 'bearer',
            bearerFormat: 'JWT',
            description: 'a token of `/v1/tokens/issue`, which may have ended',
          },
        },
      },
      tags: [
        { name: 'payments', description: 'What was paid' },
        { name: 'subscriptions', description: 'Payment policies that exist' },
        { name: 'events', description: 'What the chain said' },
        { name: 'gateway sign-in', description: 'How a gateway proves who it is' },
        { name: 'api keys', description: 'Keys of machines, which act for a gateway; made after a sign-in' },
        { name: 'proof of payment', description: 'Signed statements about policies and payments' },
        {
          name: 'merchant',
          description: 'What a gateway earns and from whom; needs its token, or an API key',
        },
        {
          name: 'expectations',
          description: 'What a gateway expects to be paid, and whether it is; needs its token, or an API key',
        },
        { name: 'changes', description: 'Who changed what of a gateway; needs its token, or an API key' },
        { name: 'search', description: 'What a text names' },
        { name: 'webhooks', description: "A gateway's webhooks; needs its token, or an API key" },
        {
          name: 'webhook deliveries',
          description: 'What became of notifications, and how to have them again',
        },
        { name: 'health', description: 'Whether the service lives' },
      ],
    },
    transform: ({ schema, url, route }) => ({
      url,
      // The header is read outside of schemas, so only the document declares it.
      schema: readsDatabase(route.method, url, route.config?.reads)
        ? { ...(schema as object), headers: MIN_POSITION }
        : schema,
    }),
    transformObject: source =>
      'openapiObject' in source
        ? withScopes(
            withComponents({ ...(source.openapiObject as JSONObject), webhooks: describeWebhooks() }),
          )
        : source.swaggerObject,
  })
}

/** Stands for the address by which a reader reached this server. */
const BASE_URL = 'BASE_URL_OF_READER'

/** Serves the documents and the pages that show them. Must be called after all routes are added. */
export function addReference(app: ApiServer, { config }: { config: Pick<ApiConfig, 'ENVIRONMENT'> }): void {
  const environment = config.ENVIRONMENT
  addMessages(app, { environment, version: VERSION, baseUrlOf })
  let json: string | undefined
  app.get('/openapi.json', { schema: { hide: true } }, (request, reply) => {
    json ??= JSON.stringify(app.swagger())
    const document = json.replace(`"url":"${THIS_SERVER.url}"`, `"url":"${baseUrlOf(request)}"`)
    return reply.type('application/json; charset=utf-8').serializer(String).send(document)
  })
  let yaml: string | undefined
  app.get('/openapi.yaml', { schema: { hide: true } }, (request, reply) => {
    yaml ??= app.swagger({ yaml: true })
    const document = yaml.replace(`- url: ${THIS_SERVER.url}\n`, `- url: ${baseUrlOf(request)}\n`)
    return reply.type('application/yaml; charset=utf-8').serializer(String).send(document)
  })
  const document = () => app.swagger() as unknown as JSONObject
  const options = { schema: { hide: true } } as const
  const show = (reply: FastifyReply, page: string) =>
    reply
      .header('content-security-policy', REFERENCE_POLICY)
      .header('cache-control', 'public, max-age=300')
      .type('text/html; charset=utf-8')
      .serializer(String)
      .send(page)
  for (const { href } of [{ href: REFERENCE }, PLACES.rest])
    app.get(href.slice(0, -1), options, (_request, reply) => reply.redirect(href, 301))
  /** Adds a page that is drawn once, with the address of its reader put in. */
  const addPage = (href: string, draw: () => string) => {
    let page: string | undefined
    app.get(href, options, (request, reply) => {
      page ??= draw()
      return show(reply, page.replaceAll(BASE_URL, baseUrlOf(request).replace(/\/$/, '')))
    })
  }
  addPage(REFERENCE, () => renderStartPage(document(), environment, BASE_URL))
  addPage(PLACES.rest.href, () => renderRestPage(document(), environment, BASE_URL))
  let entries: Promise<Found[]> | undefined
  app.get(SEARCH, { ...options, config: { takesAnyQuery: true } }, async (request, reply) => {
    entries ??= listEntries(document())
    const { q = '' } = request.query as { q?: string | string[] }
    return show(reply, renderSearchPage(await entries, [q].flat().join(' ').slice(0, 200), environment))
  })
  for (const copy of ['openapi.json', 'openapi.yaml'])
    app.get(`${REFERENCE}${copy}`, options, (_request, reply) => reply.redirect('/openapi.json', 308))
}

interface ListedMessage {
  name: string
  summary: string
}

/** All that the search finds. */
async function listEntries(document: JSONObject): Promise<Found[]> {
  const operations = listOperations(document).map(({ method, path, operation, anchor }) => ({
    place: 'REST',
    title: `${method} ${path}`,
    href: `${PLACES.rest.href}#${anchor}`,
    text: [
      operation.summary,
      operation.description,
      ...(operation.parameters ?? []).map(({ name, description }) => `${name} ${description ?? ''}`),
    ].join('. '),
  }))
  const channels = Object.entries(
    buildAsyncApi(VERSION).channels as Record<string, { messages: Record<string, ListedMessage> }>,
  )
  const messages = channels.flatMap(([channel, { messages: all }]) =>
    Object.values(all).map(({ name, summary }) => ({
      place: 'messages',
      title: name,
      href: `${PLACES.messages.href}#${channel}-${name}`,
      text: summary,
    })),
  )
  return [...operations, ...messages, ...(await listSections())]
}
