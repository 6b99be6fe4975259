import { ServiceError } from '@payment-tracking/runtime'

/** What a gateway is shown of a failed attempt. Raw socket errors would make us its port scanner. */
export type AttemptError =
  'timeout' | 'unreachable' | 'tls' | 'redirect' | 'status' | 'address refused' | 'stopped'

/** The endpoint's name or address is one we never send to: another try would be refused as well. */
export class TargetRefusedError extends ServiceError {
  readonly code = 'DELIVERY_TARGET_REFUSED'
  readonly retry = 'never'
}

const TLS_CODE =
  /^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED|EPROTO|HOSTNAME_MISMATCH|INVALID_CA)/

/** Names the failure of a request by its code, never by its text. */
export function nameAttemptError(error: unknown): AttemptError {
  let current = error as { code?: unknown; cause?: unknown } | undefined
  for (let depth = 0; current !== undefined && current !== null && depth < 4; depth++) {
    if (current instanceof TargetRefusedError) return 'address refused'
    if (typeof current.code === 'string' && TLS_CODE.test(current.code)) return 'tls'
    current = current.cause as typeof current
  }
  return 'unreachable'
}
