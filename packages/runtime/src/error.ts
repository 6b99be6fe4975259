/** What a caller may do after an error: nothing will help, or the same call may succeed later. */
export type Retry = 'never' | 'later'

/**
 * The base of all errors of our own. `code` is stable and documented in docs/errors.md; `message` is a
 * sentence for people. Foreign errors are translated into one of these at the border they come in by.
 */
export abstract class ServiceError extends Error {
  abstract readonly code: string
  abstract readonly retry: Retry

  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.name = new.target.name
  }
}
