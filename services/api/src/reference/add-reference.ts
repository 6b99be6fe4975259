import { gzipSync } from 'node:zlib'
import swagger from '@fastify/swagger'
import scalar from '@scalar/fastify-api-reference'
import type { ApiServer } from '../api-server.js'
import { ApiError } from '../http/api-errors.js'
import type { JSONObject } from './json-object.js'
import { API_DESCRIPTION, withComponents } from './openapi-document.js'
import { describeWebhooks } from './describe-webhooks.js'

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
        license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
      },
      servers: [{ url: '/', description: 'this server' }],
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
          proofOfPayment: {
            type: 'http',
            scheme: 'bearer',
            bearerFormat: 'JWT',
            description: 'a token of `/v1/tokens/issue`, which may have ended',
          },
        },
      },
      tags: [
        { name: 'subscriptions', description: 'Payment policies that exist' },
        { name: 'payments', description: 'What was paid' },
        { name: 'events', description: 'What the chain said' },
        { name: 'gateway sign-in', description: 'How a gateway proves who it is' },
        { name: 'proof of payment', description: 'Signed statements about policies and payments' },
        { name: 'merchant', description: 'What a gateway earns and from whom; needs its token' },
        { name: 'webhooks', description: "A gateway's webhooks; needs its token" },
        {
          name: 'webhook deliveries',
          description: 'What became of notifications, and how to have them again',
        },
        { name: 'health', description: 'Whether the service lives' },
      ],
    },
    transformObject: source =>
      'openapiObject' in source
        ? withComponents({ ...(source.openapiObject as JSONObject), webhooks: describeWebhooks() })
        : source.swaggerObject,
  })
}

const PAGE = '/docs'
const SCRIPT = `${PAGE}/js/scalar.js`
/** The page runs its own script and requests only this server; the browser enforces both. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self' 'unsafe-inline'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "frame-ancestors 'none'",
].join('; ')

/** Serves the OpenAPI document and a page that shows it. Must be called after all routes are added. */
export async function addReference(app: ApiServer): Promise<void> {
  let document: string | undefined
  app.get('/openapi.json', { schema: { hide: true } }, (_request, reply) => {
    document ??= JSON.stringify(app.swagger())
    return reply.type('application/json; charset=utf-8').serializer(String).send(document)
  })
  let yaml: string | undefined
  app.get('/openapi.yaml', { schema: { hide: true } }, (_request, reply) => {
    yaml ??= app.swagger({ yaml: true })
    return reply.type('application/yaml; charset=utf-8').serializer(String).send(yaml)
  })
  let script: Buffer | undefined
  app.addHook('onRoute', route => {
    // The package would serve more copies of the document; one copy is enough.
    if (route.url === `${PAGE}/openapi.json` || route.url === `${PAGE}/openapi.yaml`) {
      route.handler = (_request, reply) => reply.redirect('/openapi.json', 308)
    }
    if (route.url !== SCRIPT) return
    // 3 MB that never change: compressed once, not for each reader.
    Object.assign(route, { compress: false })
    route.onSend = (request, reply, payload, done) => {
      if (reply.statusCode !== 200 || !/\bgzip\b/.test(String(request.headers['accept-encoding']))) {
        return done(null, payload)
      }
      script ??= gzipSync(payload as string)
      void reply
        .header('content-encoding', 'gzip')
        .header('vary', 'accept-encoding')
        .removeHeader('content-length')
      done(null, script)
    }
  })
  await app.register(scalar, {
    routePrefix: PAGE,
    hooks: {
      onRequest: (request, reply, done) => {
        // The page builds its address from the host of the request.
        if (!URL.canParse(request.url, `${request.protocol}://${request.hostname}`)) {
          return done(new ApiError('INVALID_REQUEST', 'The host header is not valid.'))
        }
        void reply
          .header('content-security-policy', PAGE_POLICY)
          .header('cache-control', 'public, max-age=3600')
        done()
      },
    },
    configuration: {
      url: '/openapi.json',
      pageTitle: 'Payment tracking: reference',
      withDefaultFonts: false,
      telemetry: false,
      hideClientButton: true,
    },
  })
}
