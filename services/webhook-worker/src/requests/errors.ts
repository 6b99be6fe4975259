import { ServiceError } from '@payment-tracking/runtime'

/** The error that a gateway sees for a failed attempt. Raw socket errors would turn the worker into a port scanner. */
export type AttemptError =
  | 'timeout'
  | 'unreachable'
  | 'tls'
  | 'redirect'
  | 'status'
  | 'answer too long'
  | 'address refused'
  | 'proxy away'
  | 'proxy refused'
  | 'stopped'
  /** the request did not begin in time; never shown */
  | 'late'

/** The worker never sends to this address. Another try would be refused as well. */
export class TargetRefusedError extends ServiceError {
  readonly code = 'DELIVERY_TARGET_REFUSED'
  readonly retry = 'never'
}

/** The endpoint sent more than the worker reads, before the status of its answer was known. */
export class AnswerTooLongError extends ServiceError {
  readonly code = 'DELIVERY_ANSWER_TOO_LONG'
  readonly retry = 'later'
}

/** The proxy of WEBHOOK_PROXY_URL is away, or refuses its credentials. That says nothing about an endpoint. */
export class EgressProxyAwayError extends ServiceError {
  readonly code = 'EGRESS_PROXY_AWAY'
  readonly retry = 'later'
}

/** The proxy of WEBHOOK_PROXY_URL answers, and lets nothing through by itself: it has too much to do, or a rule against it. */
export class EgressProxyRefusedError extends ServiceError {
  readonly code = 'EGRESS_PROXY_REFUSED'
  readonly retry = 'later'

  constructor(
    message: string,
    /** what its `Retry-After` asks for, or null */
    readonly retryAfterMs: number | null,
  ) {
    super(message)
  }
}

/** The request could begin only later than it may. Nothing of it was written. */
export class BeginsLateError extends ServiceError {
  readonly code = 'DELIVERY_BEGINS_LATE'
  readonly retry = 'later'
}

const TLS_CODE =
  /^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED|EPROTO|HOSTNAME_MISMATCH|INVALID_CA)/

/** Names the failure of a request by its error code, never by its message. */
export function nameAttemptError(error: unknown): AttemptError {
  let current = error as { code?: unknown; cause?: unknown } | undefined
  for (let depth = 0; current !== undefined && current !== null && depth < 4; depth++) {
    if (current instanceof TargetRefusedError) return 'address refused'
    if (current instanceof EgressProxyAwayError) return 'proxy away'
    if (current instanceof EgressProxyRefusedError) return 'proxy refused'
    if (current instanceof AnswerTooLongError) return 'answer too long'
    if (current instanceof BeginsLateError) return 'late'
    if (typeof current.code === 'string' && TLS_CODE.test(current.code)) return 'tls'
    current = current.cause as typeof current
  }
  return 'unreachable'
}
