// What the database says, in our words: by SQLSTATE and error code, never by text.
import { ServiceError } from '@payment-tracking/runtime'

/** Postgres cannot be reached, is starting or stopping, or gave up on a lock: the same call may succeed later. */
export class StoreUnavailableError extends ServiceError {
  readonly code = 'STORE_UNAVAILABLE'
  readonly retry = 'later'
}

/** A statement ran into the statement timeout. */
export class StoreTimeoutError extends ServiceError {
  readonly code = 'STORE_TIMEOUT'
  readonly retry = 'later'
}

/** Postgres refused the values themselves: the same values will be refused again. */
export class StoreRefusedError extends ServiceError {
  readonly code = 'STORE_REFUSED'
  readonly retry = 'never'

  constructor(
    message: string,
    readonly sqlState: string,
    options: { cause: unknown },
  ) {
    super(message, options)
  }
}

/** Data exceptions, broken constraints, program limits: classes 22, 23 and 54. */
const REFUSED = /^(22|23|54)/
/** query_canceled: the statement timeout. */
const TIMED_OUT = '57014'

/** The SQLSTATE or system error code that an error of Prisma or pg carries, however deep. */
export function sqlStateOf(error: unknown): string | undefined {
  let current = error as Record<string, unknown> | undefined
  for (let depth = 0; current !== undefined && current !== null && depth < 6; depth++) {
    const { originalCode, code, meta, cause } = current
    if (typeof originalCode === 'string') return originalCode
    if (typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && !/^P\d{4}$/.test(code)) return code
    const inner = (meta as { driverAdapterError?: unknown } | undefined)?.driverAdapterError
    current = (inner ?? cause) as Record<string, unknown> | undefined
  }
  return undefined
}

/** Translates whatever Prisma or pg threw. What is neither refused nor timed out may succeed later. */
export function translateStoreError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error
  const state = sqlStateOf(error)
  if (state === TIMED_OUT) return new StoreTimeoutError('the statement took too long', { cause: error })
  if (state !== undefined && REFUSED.test(state)) {
    return new StoreRefusedError(`the database refused a value (SQLSTATE ${state})`, state, { cause: error })
  }
  return new StoreUnavailableError('the database cannot be used right now', { cause: error })
}
