import { ServiceError } from '@payment-tracking/runtime'

/** A server is neither running, nor named by a URL, nor to be had on this machine. */
export class ServerMissingError extends ServiceError {
  readonly code = 'STACK_SERVER_MISSING'
  readonly retry = 'never'
}

/** A server was started and did not come up; the message ends with the last lines it wrote. */
export class ServerFailedError extends ServiceError {
  readonly code = 'STACK_SERVER_FAILED'
  readonly retry = 'later'
}

/** The data directory is a file, or this user may not write there. */
export class DataDirUnusableError extends ServiceError {
  readonly code = 'STACK_DATA_DIR_UNUSABLE'
  readonly retry = 'never'
}

/** A file of secrets that an earlier start kept cannot be read. */
export class KeyFileDamagedError extends ServiceError {
  readonly code = 'STACK_KEY_FILE_DAMAGED'
  readonly retry = 'never'
}

/** Another launcher works in the same data directory. */
export class DataDirBusyError extends ServiceError {
  readonly code = 'STACK_DATA_DIR_BUSY'
  readonly retry = 'later'
}
