import {
  checkEndpointUrl,
  DELIVERY_STATES,
  ENDPOINT_HEALTHS,
  lastTryMs,
  nextTryMs,
  signDelivery,
  type RetryRules,
} from '@payment-tracking/domain'
import type {
  AttemptRecord,
  DeliveryRecord,
  Waits,
  WebhookHealth,
  WebhookRecord,
} from '@payment-tracking/store/admin'
import { Type, type Static } from 'typebox'
import { refusal, READ_REFUSALS } from '../http/error-answer-schema.js'
import { Integer, Moment, Nullable, PublicKey, Signature, Text } from '../http/fields.js'
import {
  Description,
  EventTypes,
  Filters,
  Format,
  Ordered,
  OrderedBy,
  OrderedWithin,
  RatePerSecond,
  Recover,
  WebhookFinality,
} from './webhook-choices.js'

const Id = (description: string) => Type.Integer({ minimum: 1, description })

export const WebhookPath = Type.Object({ id: Id('id of the webhook') })
export const DeliveryPath = Type.Object({ id: Id('id of the webhook'), deliveryId: Id('id of the delivery') })

const WEBHOOK_FIELDS = {
  id: Integer('assigned by the service', 17),
  gatewayPubkey: PublicKey('the gateway it belongs to'),
  endpointUrl: Text('receives the notifications', 'https://shop.example/webhooks/payments'),
  active: Type.Boolean({ description: 'whether it receives them now' }),
  createdAt: Moment('when it was registered'),
  failingSince: Nullable(Moment('no attempt has succeeded since then; after five days it is deactivated')),
  health: Type.Enum([...ENDPOINT_HEALTHS], {
    description:
      '`failing`: of the newest requests within 24 hours (those of the newest hours with at least 5), fewer than half were accepted with 2xx; `untried`: none ended in that time; `off`: it receives nothing now',
  }),
  requests: Integer('that ended in the hour that runs and the 23 before it: tries, not deliveries', 120),
  acceptedRequests: Integer('of these, answered with 2xx', 119),
  acceptedRate: Nullable(
    Type.Number({ description: 'accepted of these requests, 0 to 1; null without any', examples: [0.992] }),
  ),
  lastAcceptedAt: Nullable(
    Moment(
      'when it accepted a request last, to the hour where the delivery is not kept; null: never, as far as is kept',
    ),
  ),
  lastAnswer: Nullable(
    Type.Object(
      {
        at: Moment('when the request ended'),
        accepted: Type.Boolean({ description: 'whether it was answered with 2xx' }),
        answer: Text('its status, or why there was none', 'HTTP 200'),
        deliveryId: Integer('the delivery that it was a try of'),
        body: Nullable(Text('the first 200 characters of the body of the answer', 'ok')),
      },
      { title: 'LastAnswer', description: 'The newest request that ended; null before the first.' },
    ),
  ),
  waiting: Type.Integer({
    description: 'deliveries that are or will be tried by themselves; 1,000 mean at least so many',
  }),
  nextTryAt: Nullable(Moment('when the next of them is tried; null where nothing waits')),
  lastTryAt: Nullable(
    Moment(
      'when the last of them is tried for the last time, if every try fails; behind it nothing is sent by itself',
    ),
  ),
  deactivatedReason: Nullable(
    Text('why the service deactivated it: `gone` (it answered 410), `failing` or `gateway-deleted`'),
  ),
  deactivatedAt: Nullable(Moment('when the service deactivated it')),
  eventTypes: EventTypes,
  finality: WebhookFinality,
  format: Format,
  description: Nullable(Description),
  headerNames: Type.Array(Type.String(), {
    description: 'headers of each request; their values are not shown',
  }),
  filters: Nullable(Filters),
  ordered: Ordered,
  orderedBy: OrderedBy,
  orderedWithinSeconds: OrderedWithin,
  recover: Recover,
  ratePerSecond: Nullable(RatePerSecond),
  endpointWarning: Nullable(
    Text(
      'why production refuses this endpoint; only where private targets are allowed, such as on localhost',
    ),
  ),
}

export const WebhookAnswer = Type.Object(WEBHOOK_FIELDS, { title: 'Webhook' })
export const CreatedWebhookAnswer = Type.Object(
  {
    ...WEBHOOK_FIELDS,
    secret: Text('signs the notifications; keep it, and verify with it'),
    warning: Nullable(Text('what is odd about it: another active webhook has the same URL')),
  },
  { title: 'CreatedWebhook' },
)

export const NOTHING_WAITS: Waits = { waiting: 0, nextTryAt: null, lastTryAt: null }
export const neverTried = (isActive: boolean): WebhookHealth => ({
  health: isActive ? 'untried' : 'off',
  requests: 0,
  accepted: 0,
  lastAcceptedAt: null,
  lastAnswer: null,
})

export const toWebhookAnswer = (
  webhook: WebhookRecord,
  { waiting, nextTryAt, lastTryAt }: Waits,
  { health, requests, accepted, lastAcceptedAt, lastAnswer }: WebhookHealth,
): Static<typeof WebhookAnswer> => ({
  id: webhook.id,
  gatewayPubkey: webhook.gateway,
  endpointUrl: webhook.endpointUrl,
  active: webhook.active,
  createdAt: webhook.createdAt.toISOString(),
  failingSince: webhook.failingSince?.toISOString() ?? null,
  health,
  requests,
  acceptedRequests: accepted,
  acceptedRate: requests === 0 ? null : accepted / requests,
  lastAcceptedAt: lastAcceptedAt?.toISOString() ?? null,
  lastAnswer: lastAnswer && { ...lastAnswer, at: lastAnswer.at.toISOString() },
  waiting,
  nextTryAt: nextTryAt?.toISOString() ?? null,
  lastTryAt: lastTryAt?.toISOString() ?? null,
  deactivatedReason: webhook.deactivatedReason,
  deactivatedAt: webhook.deactivatedAt?.toISOString() ?? null,
  eventTypes: webhook.eventTypes,
  finality: webhook.finality,
  format: webhook.format,
  description: webhook.description,
  headerNames: webhook.headerNames,
  filters: webhook.filters,
  ordered: webhook.ordered,
  orderedBy: webhook.orderedBy,
  orderedWithinSeconds: webhook.orderedWithinSeconds,
  recover: webhook.recover,
  ratePerSecond: webhook.ratePerSecond,
  endpointWarning: warningOf(webhook.endpointUrl),
})

/** A warning for a developer on localhost before the same endpoint goes to production. */
function warningOf(endpointUrl: string): string | null {
  const check = checkEndpointUrl(endpointUrl, { allowPrivateTargets: false })
  return check.ok ? null : `Production refuses this endpoint: the URL ${check.reason}.`
}

export const SecretAnswer = Type.Object(
  {
    secret: Text('signs the notifications'),
    previousSecretExpiresAt: Nullable(Moment('until then an earlier secret signs too; null when none does')),
  },
  { title: 'WebhookSecret' },
)

export const Status = Type.Enum([...DELIVERY_STATES], { description: 'where the delivery stands' })

const DELIVERY_FIELDS = {
  id: Integer('assigned by the service'),
  webhookId: Integer('the webhook it goes to'),
  messageId: Text('`webhook-id` of every attempt; the same for all webhooks and redeliveries of an event'),
  eventId: Nullable(Text('the event it tells of; null for a test')),
  type: Text('`payment.executed`, `payment.retracted`, `subscription.…` or `webhook.…`'),
  status: Text(
    '`pending`, `waiting` (deferred by a cap, an open breaker or an earlier delivery), `delivered`, `failed`, `cancelled`',
  ),
  attempts: Type.Integer({ description: 'requests so far, over all cycles' }),
  createdAt: Moment('when it was made'),
  nextAttemptAt: Nullable(
    Moment('when the next try is due; of a failed one, its next cycle where the webhook recovers'),
  ),
  lastTryAt: Nullable(
    Moment('when it is tried for the last time, if every try fails; null where no try follows by itself'),
  ),
  finishedAt: Nullable(Moment('when it ended')),
  lastError: Nullable(Text('what the last attempt failed of: `HTTP 500`, or an `error` of attempts')),
  heldReason: Nullable(Text('why it is deferred')),
  trackingId: Nullable(Text('of the payment or policy it tells of', 'order-4711')),
  signature: Nullable(Signature('the transaction of the event it tells of')),
}

export const DeliveryAnswer = Type.Object(DELIVERY_FIELDS, { title: 'Delivery' })

const SignedHeaders = Type.Object(
  {
    'webhook-id': Text('`messageId`'),
    'webhook-timestamp': Text('`startedAt` in whole seconds since 1970'),
    'webhook-signature': Nullable(
      Text(
        'null where it cannot be told any more: the secret was rotated or the format changed since, or the format is for people',
      ),
    ),
  },
  {
    title: 'SignedHeaders',
    description: 'the three headers by which a receiver verifies the request, as they were sent',
  },
)

const AttemptAnswer = Type.Object(
  {
    number: Type.Integer({ description: 'from 1' }),
    requestHeaders: SignedHeaders,
    startedAt: Moment('written before the request left'),
    finishedAt: Nullable(Moment('when its outcome was known')),
    outcome: Nullable(Text('`accepted`, `refused`, `gone` or `interrupted`; null while it is on its way')),
    statusCode: Nullable(Type.Integer({ description: 'of the answer' })),
    error: Nullable(
      Text(
        '`timeout`, `unreachable`, `tls`, `redirect`, `status`, `answer too long`, `address refused`, `proxy refused`, `stopped`',
      ),
    ),
    responseHeaders: Nullable(
      Type.Unsafe<string>({
        type: 'object',
        additionalProperties: true,
        rawJson: true,
        description: 'those that help',
      }),
    ),
    responseBody: Nullable(Text('its first 4 KiB')),
  },
  { title: 'Attempt' },
)

export const DeliveryDetailAnswer = Type.Object(
  {
    ...DELIVERY_FIELDS,
    body: Text('the body of every attempt, byte for byte'),
    attemptLog: Type.Array(AttemptAnswer),
  },
  { title: 'DeliveryDetail' },
)

export const toDeliveryAnswer = (
  { triesAllowed, recovers, isFailing, ...delivery }: DeliveryRecord,
  rules: RetryRules,
): Static<typeof DeliveryAnswer> => {
  const { attempts, nextAttemptAt, finishedAt } = delivery
  const tried =
    nextAttemptAt !== null
      ? { is: 'open' as const, attempts, triesAllowed, atMs: nextAttemptAt.getTime() }
      : recovers && { is: 'failed' as const, attempts, triesAllowed, atMs: finishedAt!.getTime() }
  const timeOf = (ms: number) => new Date(ms).toISOString()
  return {
    ...delivery,
    createdAt: delivery.createdAt.toISOString(),
    nextAttemptAt: tried ? timeOf(nextTryMs(tried, { isFailing, backoffMs: rules.backoffMs })) : null,
    lastTryAt: tried ? timeOf(lastTryMs(tried, rules, recovers)) : null,
    finishedAt: finishedAt?.toISOString() ?? null,
  }
}

/**
 * @param message what was sent
 * @param secrets those that signed the attempt, where they are known
 */
export const toAttemptAnswer = (
  attempt: AttemptRecord,
  message: { id: string; body: string },
  secrets: readonly string[] | undefined,
): Static<typeof AttemptAnswer> => ({
  ...attempt,
  requestHeaders: headersOf(attempt.startedAt, message, secrets),
  startedAt: attempt.startedAt.toISOString(),
  finishedAt: attempt.finishedAt?.toISOString() ?? null,
  responseHeaders: attempt.responseHeaders === null ? null : JSON.stringify(attempt.responseHeaders),
})

function headersOf(
  startedAt: Date,
  message: { id: string; body: string },
  secrets: readonly string[] | undefined,
): Static<typeof SignedHeaders> {
  const signed = signDelivery({ ...message, sentAt: Math.floor(startedAt.getTime() / 1_000) }, secrets ?? [])
  return secrets === undefined ? { ...signed, 'webhook-signature': null } : signed
}

/** The possible refusals of every webhook route. */
export const WEBHOOK_REFUSALS = {
  401: refusal('There is no token, or none that counts.'),
  403: refusal('The token is of another gateway.'),
  404: refusal('The gateway of the token has no such thing.'),
  ...READ_REFUSALS,
}
export const CONFLICT_REFUSAL = { 409: refusal('It cannot be done as things stand; the code says why.') }
