import { checkEndpointUrl, readRetryAfterMs, signDelivery } from '@payment-tracking/domain'
import type { ClaimedDelivery } from '@payment-tracking/store'
import type { Connections } from './connections.js'
import { nameAttemptError, type AttemptError } from './errors.js'
import { pickHeaders, readBody } from './read-response.js'
import { resolveTarget, type ResolveName } from './resolve-target.js'

/** What one request came to. */
export interface Answer {
  outcome: 'accepted' | 'refused' | 'gone' | 'interrupted'
  error: AttemptError | null
  /** no other try would do better */
  final: boolean
  statusCode: number | null
  retryAfterMs: number | null
  headers: Record<string, string> | null
  body: string | null
}

export interface SendOptions {
  timeoutMs: number
  allowPrivateTargets: boolean
  userAgent: string
  connections: Connections
  resolve: ResolveName
  /** aborted when the process stops and cannot wait any longer */
  signal: AbortSignal
}

const failure = (error: AttemptError, final = false): Answer => ({
  outcome: error === 'stopped' ? 'interrupted' : 'refused',
  error,
  final,
  statusCode: null,
  retryAfterMs: null,
  headers: null,
  body: null,
})

/**
 * Sends one delivery once. One deadline covers name, connection, request, answer and its body. Redirects are
 * not followed. Never throws.
 * @param traceParent told to the endpoint, when the delivery is traced
 */
export async function sendDelivery(
  delivery: ClaimedDelivery,
  options: SendOptions,
  traceParent?: string,
): Promise<Answer> {
  const check = checkEndpointUrl(delivery.endpointUrl, options)
  if (!check.ok) return failure('address refused', true)
  const abort = new AbortController()
  let late = false
  const timer = setTimeout(() => {
    late = true
    abort.abort()
  }, options.timeoutMs)
  const onStop = () => abort.abort()
  options.signal.addEventListener('abort', onStop, { once: true })
  try {
    if (options.signal.aborted) return failure('stopped')
    const addresses = await beforeAbort(resolveTarget(check.host, check.literal, options), abort.signal)
    const now = Date.now()
    const response = await options.connections.to(check.url.origin, addresses).request({
      method: 'POST',
      path: check.url.pathname + check.url.search,
      headers: {
        'content-type': 'application/json',
        'user-agent': options.userAgent,
        accept: '*/*',
        'accept-encoding': 'identity',
        ...signDelivery(
          { id: delivery.messageId, sentAt: Math.floor(now / 1_000), body: delivery.body },
          delivery.secrets,
        ),
        ...(traceParent === undefined ? {} : { traceparent: traceParent }),
      },
      body: delivery.body,
      signal: abort.signal,
    })
    const body = await readBody(response.body)
    const { statusCode } = response
    const accepted = statusCode >= 200 && statusCode < 300
    return {
      outcome: accepted ? 'accepted' : statusCode === 410 ? 'gone' : 'refused',
      error: accepted ? null : statusCode >= 300 && statusCode < 400 ? 'redirect' : 'status',
      final: statusCode === 410,
      statusCode,
      retryAfterMs: accepted
        ? null
        : readRetryAfterMs(response.headers['retry-after']?.toString(), Date.now()),
      headers: pickHeaders(response.headers),
      body,
    }
  } catch (error) {
    if (late) return failure('timeout')
    if (options.signal.aborted) return failure('stopped')
    const name = nameAttemptError(error)
    return failure(name, name === 'address refused')
  } finally {
    clearTimeout(timer)
    options.signal.removeEventListener('abort', onStop)
  }
}

/** Rejects when the signal aborts first: a resolver cannot be called off. */
async function beforeAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let onAbort: (() => void) | undefined
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(new Error('aborted'))
    signal.addEventListener('abort', onAbort, { once: true })
  })
  try {
    return await Promise.race([work, aborted])
  } finally {
    if (onAbort) signal.removeEventListener('abort', onAbort)
  }
}
