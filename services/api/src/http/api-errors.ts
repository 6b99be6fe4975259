// What a client did wrong, in classes whose codes are stable. The status of a code is in statuses.ts.
import { ServiceError, type Retry } from '@payment-tracking/runtime'

/** An answer that is no success: `message` is the sentence the client reads. */
export class ApiError extends ServiceError {
  readonly retry: Retry

  /** @param code a key of STATUSES */
  constructor(
    readonly code: string,
    message: string,
    options: { retry?: Retry; cause?: unknown } = {},
  ) {
    super(message, options)
    this.retry = options.retry ?? 'never'
  }
}

/** A query or path parameter that cannot be what it is. The sentence names it. */
export class InvalidParameterError extends ApiError {
  constructor(
    readonly parameter: string,
    problem: string,
  ) {
    super('INVALID_PARAMETER', `Parameter ${parameter} ${problem}.`)
  }
}

export class NotFoundError extends ApiError {
  constructor(message: string) {
    super('NOT_FOUND', message)
  }
}
