import { checkEndpointUrl, readRetryAfterMs, signDelivery } from '@payment-tracking/domain'
import type { ClaimedDelivery } from '@payment-tracking/store/deliveries'
import type { Connections } from './connections.js'
import { beforeEnd, type Deadlines } from './deadlines.js'
import { EgressProxyRefusedError, nameAttemptError, type AttemptError } from './errors.js'
import { post, type Reply } from './post.js'
import { pickHeaders } from './read-response.js'
import { resolveTarget, type ResolveName } from './resolve-target.js'

/** The outcome of one request. */
export interface Answer {
  outcome: 'accepted' | 'refused' | 'gone' | 'interrupted'
  error: AttemptError | null
  /** another try cannot succeed */
  final: boolean
  /** of the endpoint */
  statusCode: number | null
  /** what the endpoint asks for, or a proxy that refuses */
  retryAfterMs: number | null
  headers: Record<string, string> | null
  body: string | null
}

export interface SendOptions {
  allowPrivateTargets: boolean
  userAgent: string
  connections: Connections
  resolve: ResolveName
  deadlines: Deadlines
}

/** The endpoint was asked nothing, or what it answered is not known. */
const NOT_ASKED: ReadonlySet<AttemptError> = new Set(['stopped', 'proxy away', 'late'])

const failure = (error: AttemptError, final = false): Answer => ({
  outcome: NOT_ASKED.has(error) ? 'interrupted' : 'refused',
  error,
  final,
  statusCode: null,
  retryAfterMs: null,
  headers: null,
  body: null,
})

/**
 * Sends one delivery once. One deadline covers look-up, connection, request, answer and body. The worker does not
 * follow redirects. Never throws.
 * @param mayBegin asked when the request would begin: one that may not does not begin, with the error `late`
 * @param traceParent sent to the endpoint when the delivery is traced
 */
export async function sendDelivery(
  delivery: ClaimedDelivery,
  options: SendOptions,
  mayBegin: () => boolean = () => true,
  traceParent?: string,
): Promise<Answer> {
  const check = checkEndpointUrl(delivery.endpointUrl, options)
  if (!check.ok) return failure('address refused', true)
  return options.deadlines.within(async deadline => {
    try {
      const addresses = await beforeEnd(resolveTarget(check.host, check.literal, options), deadline)
      const reply = await post(
        options.connections.to(check.url.origin, addresses),
        {
          path: check.url.pathname + check.url.search,
          // The service's own headers come last: no other header can replace them.
          headers: {
            ...delivery.headers,
            'content-type': 'application/json',
            'user-agent': options.userAgent,
            accept: '*/*',
            'accept-encoding': 'identity',
            ...signDelivery(
              // What the row of the attempt says, so that its headers can be shown as they were sent.
              {
                id: delivery.messageId,
                sentAt: Math.floor(delivery.startedAt.getTime() / 1_000),
                body: delivery.body,
              },
              delivery.secrets,
            ),
            ...(traceParent === undefined ? {} : { traceparent: traceParent }),
          },
          body: delivery.body,
        },
        deadline,
        mayBegin,
      )
      return answerOf(reply)
    } catch (error) {
      if (deadline.over !== null) return failure(deadline.over)
      const name = nameAttemptError(error)
      const retryAfterMs = error instanceof EgressProxyRefusedError ? error.retryAfterMs : null
      return { ...failure(name, name === 'address refused'), retryAfterMs }
    }
  })
}

function answerOf({ statusCode, headers, body }: Reply): Answer {
  const accepted = statusCode >= 200 && statusCode < 300
  return {
    outcome: accepted ? 'accepted' : statusCode === 410 ? 'gone' : 'refused',
    error: accepted ? null : statusCode >= 300 && statusCode < 400 ? 'redirect' : 'status',
    final: statusCode === 410,
    statusCode,
    retryAfterMs: accepted ? null : readRetryAfterMs(headers['retry-after']?.toString(), Date.now()),
    headers: pickHeaders(headers),
    body,
  }
}
