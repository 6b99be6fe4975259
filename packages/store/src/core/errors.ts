// The errors of this package. Errors of Prisma and pg are mapped by SQLSTATE and error code, never by text.
import { ServiceError } from '@payment-tracking/runtime'

/** Postgres cannot be reached, is starting or stopping, or a lock timed out: the same call may succeed later. */
export class StoreUnavailableError extends ServiceError {
  readonly code = 'STORE_UNAVAILABLE'
  readonly retry = 'later'
}

/** The Postgres server was restarted since its verification: call `verifyDatabase`, then try again. */
export class StoreUnverifiedError extends ServiceError {
  readonly code = 'STORE_UNVERIFIED'
  readonly retry = 'later'
}

/** A statement ran into the statement timeout. */
export class StoreTimeoutError extends ServiceError {
  readonly code = 'STORE_TIMEOUT'
  readonly retry = 'later'
}

/** No database that may be asked knows everything up to the wanted position yet. */
export class NotYetError extends ServiceError {
  readonly code = 'NOT_YET'
  readonly retry = 'later'

  /** @param head what the primary has; undefined when it is not known */
  constructor(
    wanted: bigint,
    readonly head: { epoch: string; position: bigint } | undefined,
  ) {
    super(`position ${wanted} is not known here yet`)
  }
}

/** Postgres refused the values themselves: Postgres will refuse the same values again. */
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

/** The database lacks something that this release needs, such as migrations: an operator must act. */
export class StoreContentsError extends ServiceError {
  readonly code = 'STORE_CONTENTS'
  readonly retry = 'never'
}

/** Neither the values nor an outage: most likely a bug of this service, which a developer must look at. */
export class StoreFaultError extends ServiceError {
  readonly code = 'STORE_FAULT'
  readonly retry = 'later'
}

/** Data exceptions, broken constraints, program limits: classes 22, 23 and 54. */
const REFUSED = /^(22|23|54)/
/** query_canceled: by the statement timeout, or because nobody waited any more. */
export const CANCELLED = '57014'

/** The SQLSTATE or system error code in an error of Prisma or pg, at any depth. */
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

/**
 * Connections, sign-in, a missing database, deadlocks, resources, locks, shutdown and broken disks: faults that may
 * pass. 25006 is a read-only server, such as a standby that is not promoted yet.
 */
const OUTAGE = /^(08|28|3D|40|53|55|57|58)|^25(P03|006)$/
/** The system's codes (ECONNRESET) and those of Prisma's engine about connections, pools and transactions. */
const OUTAGE_CODES = /^(E[A-Z_]{3,}|P1\d{3}|P2024|P2028|P2034)$/
/** Names in Prisma's adapter for a broken connection without SQLSTATE. */
const OUTAGE_KINDS = ['ConnectionClosed', 'TransactionAlreadyClosed']

/**
 * pg throws plain errors without a code when a connection breaks or times out. Marked where they leave pg, they cannot
 * be confused with this package's own errors.
 */
export const isConnectionError = (error: unknown): error is Error =>
  error instanceof Error && error.constructor === Error && !('code' in error)

/** Passes pg's answer on. @throws StoreUnavailableError for a connection error */
export const nameConnectionErrors = <T>(answer: Promise<T>): Promise<T> =>
  answer.catch((error: unknown) => {
    if (!isConnectionError(error)) throw error
    throw new StoreUnavailableError('the database cannot be used right now', { cause: error })
  })

/** What this file reads of an error of Prisma's adapter. */
interface AdapterError {
  cause?: { kind?: string }
}

/** Whether the database could not be used. */
function isOutage(error: unknown): boolean {
  const state = sqlStateOf(error)
  if (state !== undefined && OUTAGE.test(state)) return true
  if (!(error instanceof Error)) return false
  const { code, errorCode, meta } = error as {
    code?: string
    errorCode?: string
    meta?: { driverAdapterError?: AdapterError }
  }
  // A commit that finds its connection broken passes the adapter's error on as it is.
  const { kind = '' } = (meta?.driverAdapterError ?? (error as AdapterError)).cause ?? {}
  return OUTAGE_CODES.test(code ?? errorCode ?? '') || OUTAGE_KINDS.includes(kind)
}

/** Runs `work`, and converts every error of Prisma, pg or other code to an error of this package. */
export async function mapStoreErrors<T>(work: () => PromiseLike<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw toStoreError(error)
  }
}

function toStoreError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error
  const state = sqlStateOf(error)
  if (state === CANCELLED) return new StoreTimeoutError('the statement took too long', { cause: error })
  if (state !== undefined && REFUSED.test(state)) {
    return new StoreRefusedError(`the database refused a value (SQLSTATE ${state})`, state, { cause: error })
  }
  return isOutage(error)
    ? new StoreUnavailableError('the database cannot be used right now', { cause: error })
    : new StoreFaultError('a call on the database failed unexpectedly', { cause: error })
}
