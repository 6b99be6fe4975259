// Errors of the client, as classes with stable codes. statuses.ts holds the status of each code.
import { ServiceError, type Retry } from '@payment-tracking/runtime'

/** A refusal: the client reads `message`. */
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

/** An invalid query or path parameter. The sentence names the parameter. */
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
