import type { ReactNode } from 'react'

/**
 * The same figure of the span before, which stands beside every figure of a span.
 * @param of how long both spans are, such as `30 days`
 * @param value null where it is not known
 */
export function Before({ of, value }: { of: string; value: ReactNode }) {
  return (
    <span className="quiet small before" title={`the ${of} before`}>
      {value === null ? 'not known before' : <>before: {value}</>}
    </span>
  )
}
