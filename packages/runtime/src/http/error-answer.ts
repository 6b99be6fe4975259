/** What some refusals say beside their sentence. */
interface RefusalFacts {
  /** of ARCHIVED: the month of what was asked for, such as `2026-03` */
  archivedMonth?: string
  /** of EXPECTATION_EXISTS: the expectation */
  id?: string
  /** of SESSION_EXISTS: the gateway that the link signs in */
  gateway?: string
}

/** The body of every error that the HTTP services answer; docs/errors.md lists the codes. */
export interface ErrorAnswer extends RefusalFacts {
  success: false
  /** a sentence for people */
  error: string
  /** stable, documented in docs/errors.md */
  code: string
  /** server time in milliseconds */
  timestamp: number
  requestId: string
}

export interface Refusal extends RefusalFacts {
  /** the HTTP status */
  status: number
  code: string
  sentence: string
}

export const errorAnswer = (
  { status: _status, code, sentence, ...details }: Refusal,
  requestId: string,
): ErrorAnswer => ({
  success: false,
  error: sentence,
  code,
  timestamp: Date.now(),
  requestId,
  ...details,
})
