import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import swagger from '@fastify/swagger'
import { isProduction } from '@payment-tracking/runtime'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ApiServer } from '../api-server.js'
import type { ApiConfig } from '../config.js'
import type { JSONObject } from './json-object.js'
import { API_DESCRIPTION, withComponents, withScopes } from './openapi-document.js'
import { describeWebhooks } from './describe-webhooks.js'
import { MIN_POSITION, readsDatabase } from '../http/choose-database.js'
import { addMessages, MESSAGES_PAGE } from './add-messages.js'
import { REFERENCE_STYLE } from './reference-style.js'
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

const PAGE = '/docs'
const SETTINGS = {
  url: '/openapi.json',
  // Requests of the page go to where the page came from, whatever the proxies in front of it say.
  servers: [THIS_SERVER],
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  // The bar for developers of references, with its buttons to share the document and to generate clients.
  showDeveloperTools: 'never',
  showToolbar: 'never',
  theme: 'none',
  customCss: REFERENCE_STYLE,
}
const escapeText = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
/** Scalar shows REST alone; the messages have a page of their own. */
const NAVIGATION = `<nav style="padding: 0.5rem 1rem; font-family: sans-serif">REST · <a href="${MESSAGES_PAGE}">Messages</a></nav>`
const renderPage = (environment: string) => `<!doctype html>
<html lang="en">
  <head>
    <title>${isProduction(environment) ? '' : `[${escapeText(environment)}] `}Payment tracking: reference</title>
    <link rel="icon" type="image/svg+xml" href="/console/${isProduction(environment) ? 'icon' : 'icon-other'}.svg" />
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
  </head>
  <body>
    ${NAVIGATION}
    <div id="app"></div>
    <script src="js/scalar.js"></script>
    <script src="js/start.js"></script>
  </body>
</html>
`
const START = `Scalar.createApiReference('#app', ${JSON.stringify(SETTINGS)})\n`
/** The page runs its two files and requests only this server; the browser enforces both. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "frame-ancestors 'none'",
].join('; ')

/**
 * Scalar's script for browsers, 3 MB that never change: read and compressed once. Read at the first request, because a
 * start must not wait for it.
 */
async function readScript(): Promise<{ plain: Buffer; gzipped: Buffer }> {
  const file = fileURLToPath(import.meta.resolve('@scalar/fastify-api-reference'))
  const plain = await readFile(join(dirname(file), 'js/standalone.js'))
  return { plain, gzipped: gzipSync(plain) }
}

/** What a `host` header may hold here: anybody can write it, and the document repeats it. */
const HOST = /^(?:[a-z0-9.-]{1,253}|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i

/**
 * The address by which the client reached this server. Tools that import the document into another place, such as Postman,
 * need it: to them, `/` is no server.
 */
export const baseUrlOf = ({ protocol, host }: FastifyRequest): string =>
  HOST.test(host) ? `${protocol}://${host.toLowerCase()}` : THIS_SERVER.url

/** Serves the documents and the pages that show them. Must be called after all routes are added. */
export function addReference(app: ApiServer, { config }: { config: Pick<ApiConfig, 'ENVIRONMENT'> }): void {
  const environment = config.ENVIRONMENT
  addMessages(app, { environment, version: VERSION, baseUrlOf })
  const page = renderPage(environment)
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
  let script: ReturnType<typeof readScript> | undefined
  const pageOptions = { schema: { hide: true }, compress: false } as const
  const withHeaders = (reply: FastifyReply, type: string) =>
    reply
      .header('content-security-policy', PAGE_POLICY)
      .header('cache-control', 'public, max-age=3600')
      .type(`${type}; charset=utf-8`)
  app.get(PAGE, pageOptions, (_request, reply) => reply.redirect(`${PAGE}/`, 301))
  app.get(`${PAGE}/`, pageOptions, (_request, reply) => withHeaders(reply, 'text/html').send(page))
  app.get(`${PAGE}/js/scalar.js`, pageOptions, async (request, reply) => {
    const { plain, gzipped } = await (script ??= readScript())
    void withHeaders(reply, 'application/javascript').header('vary', 'accept-encoding')
    if (!/\bgzip\b/.test(String(request.headers['accept-encoding']))) return reply.send(plain)
    return reply.header('content-encoding', 'gzip').send(gzipped)
  })
  app.get(`${PAGE}/js/start.js`, pageOptions, (_request, reply) =>
    withHeaders(reply, 'application/javascript').send(START),
  )
  for (const copy of ['openapi.json', 'openapi.yaml'])
    app.get(`${PAGE}/${copy}`, pageOptions, (_request, reply) => reply.redirect('/openapi.json', 308))
}
