import type { ReactNode } from 'react'
import { Bar } from './states.js'

/**
 * The same figure of the span before, which stands beside every figure of a span.
 * @param of how long both spans are, such as `30 days`
 * @param value null where it is not known; undefined while it is read
 */
export function Before({ of, value }: { of: string; value: ReactNode }) {
  return (
    <span className="quiet small before" title={`the ${of} before`}>
      {value === undefined ? <Bar /> : value === null ? 'not known before' : <>before: {value}</>}
    </span>
  )
}
