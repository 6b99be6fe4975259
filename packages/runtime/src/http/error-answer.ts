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
}

export interface Refusal {
  /** the HTTP status */
  status: number
  code: string
  sentence: string
}

export const errorAnswer = ({ code, sentence }: Refusal, requestId: string): ErrorAnswer => ({
  success: false,
  error: sentence,
  code,
  timestamp: Date.now(),
  requestId,
})
