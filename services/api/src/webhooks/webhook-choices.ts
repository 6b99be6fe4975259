// What the owner of a webhook chooses, in the bodies of requests.
import {
  checkEndpointUrl,
  findHeaderProblem,
  WEBHOOK_EVENT_TYPES,
  WEBHOOK_FORMATS,
  WEBHOOK_HEADERS_MAX,
} from '@payment-tracking/domain'
import { ORDERS } from '@payment-tracking/store/core'
import { type WebhookChoices } from '@payment-tracking/store/admin'
import { Type, type Static } from 'typebox'
import { ApiError } from '../http/api-errors.js'
import { FORMATS } from '../http/formats.js'
import { Nullable } from '../http/fields.js'

/** The event types of a webhook, in the order of the request. */
export const EventTypes = Type.Array(Type.Enum([...WEBHOOK_EVENT_TYPES]), {
  minItems: 1,
  uniqueItems: true,
  description: 'what it is told of; without a choice of payments alone',
})

export const WebhookFinality = Type.Enum(['confirmed', 'finalized'], {
  description: '`finalized`: it is told of a payment once that is final, and never of one that is retracted',
})

export const Format = Type.Enum([...WEBHOOK_FORMATS], {
  description:
    '`standard` (default); `tributary`: payments in the body that the incumbent sends; `slack`, `discord`: one line for people, for an incoming webhook of theirs',
})

/** The owner's description of a webhook. */
export const Description = Type.String({ maxLength: 200, description: 'what its owner says of it' })

const FILTER_FORMATS = {
  recipient: 'public-key',
  tokenMint: 'public-key',
  minAmount: 'amount',
  trackingIdPrefix: 'tracking-id',
} as const

const filter = (name: keyof typeof FILTER_FORMATS, description: string) =>
  Type.Optional(Type.String({ format: FILTER_FORMATS[name], description }))

export const Filters = Type.Object(
  {
    recipient: filter('recipient', 'who is paid'),
    tokenMint: filter('tokenMint', 'the token'),
    minAmount: filter(
      'minAmount',
      "the least amount of a payment, in the token's smallest unit; needs `tokenMint`",
    ),
    trackingIdPrefix: filter('trackingIdPrefix', 'how the tracking ID begins'),
  },
  {
    title: 'WebhookFilters',
    additionalProperties: false,
    description:
      'which payments and policies it is told of: all filters must hold. What has a recipient or token that is not known yet waits until it is known',
  },
)

const Headers = Type.Unsafe<Record<string, string>>({
  type: 'object',
  additionalProperties: { type: 'string' },
  description: `at most ${WEBHOOK_HEADERS_MAX} headers of each request, such as \`authorization\`; not those that the service sets. Answers show their names alone`,
})

export const Ordered = Type.Boolean({
  description: 'one delivery at a time, in their order; a delivery waits until the one before it has ended',
})
export const OrderedBy = Type.Enum([...ORDERS], {
  description:
    'with `ordered`: whether a delivery waits for `all` before it, or only for those of its `trackingId`, for deliveries made from then on. With `all`, a payment of dust that the endpoint refuses holds all others back while it is retried',
})
export const OrderedWithin = Type.Integer({
  minimum: 60,
  maximum: 86_400,
  description: 'with `ordered`: an open delivery that is older than this holds back no later one',
})
export const Recover = Type.Boolean({
  description:
    'when the endpoint answers again, what failed in the last 72 hours is sent again. While it fails, one delivery after another asks whether it is back: 1, 2, 4 … 256 minutes after its last cycle, then every 8 hours; in up to 17 cycles of 4 tries',
})

export const RatePerSecond = Type.Integer({
  minimum: 1,
  maximum: 1_000,
  description:
    'the most requests a second to this endpoint, over all workers of the service; without a choice, each worker has a cap of its own. What comes faster waits, and spends no try',
})

const CHOICES = {
  active: Type.Boolean({
    description: 'whether it receives notifications; deactivating cancels open deliveries',
  }),
  eventTypes: EventTypes,
  finality: WebhookFinality,
  format: Format,
  description: Nullable(Description),
  headers: Nullable(Headers),
  filters: Nullable(Filters),
  ordered: Ordered,
  orderedBy: OrderedBy,
  orderedWithinSeconds: OrderedWithin,
  recover: Recover,
  ratePerSecond: Nullable(RatePerSecond),
}

/** The optional fields of a new webhook. */
export const NewChoices = Type.Partial(Type.Object({ ...CHOICES })).properties

export const WebhookChanges = Type.Partial(
  Type.Object({
    endpoint_url: Type.String({ description: 'https, public, on port 443 or 8443' }),
    ...CHOICES,
  }),
  { additionalProperties: false, minProperties: 1 },
)

const invalid = (field: string, problem: string) => new ApiError('INVALID_BODY', `Field ${field} ${problem}.`)

function checkFilters(filters: Static<typeof Filters>): void {
  for (const [name, format] of Object.entries(FILTER_FORMATS)) {
    const text = filters[name as keyof typeof FILTER_FORMATS]
    const rule = FORMATS[format]!
    if (text !== undefined && !rule.accepts(text)) throw invalid(`filters.${name}`, rule.problem)
  }
  if (filters.minAmount !== undefined && filters.tokenMint === undefined)
    throw invalid(
      'filters.minAmount',
      'needs tokenMint beside it: amounts of different tokens are not comparable',
    )
}

/**
 * Checks what a schema cannot say.
 * @throws ApiError INVALID_BODY, INVALID_ENDPOINT_URL
 */
export function readChoices(
  { endpoint_url: endpointUrl, ...choices }: Static<typeof WebhookChanges>,
  { allowPrivateTargets }: { allowPrivateTargets: boolean },
): Partial<WebhookChoices> {
  if (endpointUrl !== undefined) {
    const check = checkEndpointUrl(endpointUrl, { allowPrivateTargets })
    if (!check.ok) throw new ApiError('INVALID_ENDPOINT_URL', `Field endpoint_url ${check.reason}.`)
  }
  if (choices.filters) checkFilters(choices.filters)
  const problem = choices.headers ? findHeaderProblem(choices.headers) : null
  if (problem !== null) throw invalid('headers', problem)
  return { ...choices, ...(endpointUrl === undefined ? {} : { endpointUrl }) }
}
