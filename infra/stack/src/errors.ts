import { ServiceError } from '@payment-tracking/runtime'

/** A server is not running, not named by a URL, and not available on this machine. */
export class ServerMissingError extends ServiceError {
  readonly code = 'STACK_SERVER_MISSING'
  readonly retry = 'never'
}

/** A server was started but did not become ready; the message ends with its last lines. */
export class ServerFailedError extends ServiceError {
  readonly code = 'STACK_SERVER_FAILED'
  readonly retry = 'later'
}

/** The data directory is a file, or this user may not write there. */
export class DataDirUnusableError extends ServiceError {
  readonly code = 'STACK_DATA_DIR_UNUSABLE'
  readonly retry = 'never'
}

/** A file of secrets from an earlier start is unreadable. */
export class KeyFileDamagedError extends ServiceError {
  readonly code = 'STACK_KEY_FILE_DAMAGED'
  readonly retry = 'never'
}

/** Another launcher works in the same data directory. */
export class DataDirBusyError extends ServiceError {
  readonly code = 'STACK_DATA_DIR_BUSY'
  readonly retry = 'later'
}
