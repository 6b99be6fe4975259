/** The body of every error that the HTTP services answer; docs/errors.md lists the codes. */
export interface ErrorAnswer {
  success: false
  /** a sentence for people */
  error: string
  /** stable, documented in docs/errors.md */
  code: string
  /** server time in milliseconds */
  timestamp: number
  requestId: string
  /** of ARCHIVED: the month of what was asked for, such as `2026-03` */
  archivedMonth?: string
  /** of EXPECTATION_EXISTS: the expectation */
  id?: string
}

export interface Refusal {
  /** the HTTP status */
  status: number
  code: string
  sentence: string
  archivedMonth?: string
  id?: string
}

export const errorAnswer = (
  { code, sentence, archivedMonth, id }: Refusal,
  requestId: string,
): ErrorAnswer => ({
  success: false,
  error: sentence,
  code,
  timestamp: Date.now(),
  requestId,
  ...(archivedMonth !== undefined && { archivedMonth }),
  ...(id !== undefined && { id }),
})
