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

/** A request without parameters that it must have. The sentence names each. */
export class MissingParametersError extends ApiError {
  constructor(names: readonly string[]) {
    super(
      'INVALID_PARAMETER',
      `${names.length === 1 ? `Parameter ${names[0]} is` : `Parameters ${names.join(', ')} are`} missing.`,
    )
  }
}

/** What is asked for is kept in the archive alone. */
export class ArchivedError extends ApiError {
  /** @param archivedMonth `2026-03` */
  constructor(
    readonly archivedMonth: string,
    message = `The events of ${archivedMonth} were archived. GET /v1/health tells where lists begin.`,
  ) {
    super('ARCHIVED', message)
  }
}

/** A link that signs in where somebody is signed in already. */
export class SessionExistsError extends ApiError {
  /** @param gateway that the link signs in */
  constructor(readonly gateway: string) {
    super(
      'SESSION_EXISTS',
      'Somebody is signed in here. Ask whether the link shall sign in its gateway instead; if so, send `replace: true`.',
    )
  }
}

export class NotFoundError extends ApiError {
  constructor(message: string) {
    super('NOT_FOUND', message)
  }
}
