// One text, and the pages that it can mean.
import { isPublicKey, isSignature, isTrackingId } from '@payment-tracking/domain'
import {
  findAnything,
  findShortened,
  FOUND_KINDS,
  type Seeker,
  type Sought,
} from '@payment-tracking/store/reads'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { ApiServer } from '../api-server.js'
import { apiKeyOf, securityOf, type GatewayAuth } from '../gateway-auth/gateway-auth.js'
import { READ_REFUSALS, refusal } from '../http/error-answer-schema.js'
import { Integer, Nullable, Text } from '../http/fields.js'
import { keysInside, shortenedOf } from './meant-by.js'

/** A key with any of them may search; it finds what its scopes may see. */
const SCOPES = ['webhooks:read', 'merchant:read', 'expectations'] as const

const Found = Type.Object(
  {
    kind: Type.Enum([...FOUND_KINDS], {
      description:
        '`transaction`, `tracking_id`, `policy`, `wallet` and `gateway` are public; `customer`, `webhook`, `delivery` and `expectation` are the own gateway’s alone',
    }),
    id: Text('its signature, text, address or id', 'order-4711'),
    name: Nullable(
      Text(
        'a URL, the type of a delivery, a tracking ID, the reference that was found, or the own name of a customer',
        'https://shop.example/hook',
      ),
    ),
    webhookId: Nullable(Integer('of a delivery: the webhook that it goes to', 7)),
  },
  { title: 'Found' },
)

const MOST_DIGITS = 18

const soughtOf = (text: string): Sought => ({
  text,
  isSignature: isSignature(text),
  isPublicKey: isPublicKey(text),
  isTrackingId: isTrackingId(text),
  isUuid: /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text),
  isNumber: new RegExp(`^[1-9]\\d{0,${MOST_DIGITS - 1}}$`).test(text),
})

export function addSearchRoute(app: ApiServer, { auth }: { auth: GatewayAuth }): void {
  const seekerOf = async (request: FastifyRequest): Promise<Seeker | null> => {
    const claims = await auth.authenticateIfGiven(request, SCOPES)
    if (!claims) return null
    const key = apiKeyOf(request)
    const may = (...scopes: readonly (typeof SCOPES)[number][]) =>
      key === undefined || scopes.some(scope => key.scopes.includes(scope))
    return {
      gateway: claims.gateway,
      customers: may('merchant:read'),
      webhooks: may('webhooks:read'),
      expectations: may('merchant:read', 'expectations'),
    }
  }

  app.get(
    '/v1/search',
    {
      config: { reads: 'replicas' },
      schema: {
        operationId: 'search',
        tags: ['search'],
        summary: 'Search',
        description:
          "Finds what a text names: a signature, tracking ID, address of a policy, wallet or gateway; an address as `B1zp…tKmC`, or inside a sentence. With a gateway's token also its customers, webhooks (by id, or a part of the URL or description), deliveries (by id or `webhook-id`), expectations (by id), and what the first 3 or more characters of a tracking ID, a reference or a name begin: tracking IDs of its payments, its policies, expectations and customers, at most 10 of each. Everything but URLs, descriptions and names is compared letter by letter. An API key needs one of its scopes `webhooks:read`, `merchant:read` and `expectations`, and finds what they may see.",
        security: [{}, ...securityOf(SCOPES)],
        querystring: Type.Object({
          q: Type.String({
            format: 'search-text',
            description: 'what is sought, 1 to 200 characters',
            examples: ['order-4711'],
          }),
        }),
        response: {
          200: Type.Array(Found, { description: 'Empty where it names nothing.' }),
          401: refusal('A token was sent, and it does not count.'),
          403: refusal('An API key was sent that has none of the scopes.'),
          ...READ_REFUSALS,
        },
      },
    },
    async (request, reply) => {
      const seeker = await seekerOf(request)
      if (seeker) void reply.header('cache-control', 'private, no-store')
      void reply.header('vary', 'authorization')
      const { q } = request.query
      const shortened = shortenedOf(q)
      const meant = shortened
        ? await findShortened(request.store, shortened, seeker?.customers ? seeker.gateway : null)
        : keysInside(q)
      return [...(await findAnything(request.store, [q, ...meant].map(soughtOf), seeker))]
    },
  )
}
