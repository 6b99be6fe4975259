/** Whether the same call can succeed later. */
export type Retry = 'never' | 'later'

/**
 * The base of all errors of our own. `code` is stable and documented in docs/errors.md; `message` is a
 * sentence for people. Errors of libraries are mapped to one of these where they are caught first.
 */
export abstract class ServiceError extends Error {
  abstract readonly code: string
  abstract readonly retry: Retry

  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.name = new.target.name
  }
}
