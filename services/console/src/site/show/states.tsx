// What stands on a page while it has nothing to show.
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { RequestError } from '../api/request.js'

export function Failure({ error }: { error: Error | null }) {
  if (!error) return null
  const text = error instanceof RequestError ? error.message : 'The service cannot be reached. Is it running?'
  return (
    <p role="alert" className="failure">
      {text}
    </p>
  )
}

/** The content once the query has data; before that the reason why it has none. */
export function Loaded<T>({
  query,
  children,
}: {
  query: UseQueryResult<T>
  children: (data: T) => ReactNode
}) {
  if (query.error && query.data === undefined) return <Failure error={query.error} />
  if (query.data === undefined) return <p aria-busy="true">Loading …</p>
  return (
    <>
      <Failure error={query.error} />
      {children(query.data)}
    </>
  )
}

/** A table that scrolls by itself on a narrow screen; the region can be reached by keyboard. */
export function Table({
  title,
  head,
  children,
}: {
  title: string
  head: readonly string[]
  children: ReactNode
}) {
  return (
    <div className="scroll" role="region" aria-label={title} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {head.map(text => (
              <th key={text} scope="col">
                {text}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  )
}
