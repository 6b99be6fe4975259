// What stands on a page while it has nothing to show.
import { visibleText } from '@payment-tracking/contracts/visible-text'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { RequestError } from '../api/request.js'

/** What a person can do, by the code of the refusal. */
const CURES: Readonly<Record<string, string>> = {
  UNAVAILABLE: 'Part of the service is unavailable. This page retries by itself.',
  TIMEOUT: 'Narrow the request, for example to a shorter period.',
  RATE_LIMITED: 'Too many requests from this address. Wait a minute.',
  FORBIDDEN:
    'You do not have access to this. An API key needs the right scope; a wallet sees everything of its gateway.',
  NOT_FOUND: 'Check the address. A payment of the last few seconds may not be stored yet.',
  INVALID_PARAMETER: 'Correct the named field.',
  EXPECTATION_EXISTS: 'Choose another tracking ID: each order needs its own.',
}

export function Failure({ error, retry }: { error: Error | null; retry?: () => void }) {
  if (!error) return null
  const refusal = error instanceof RequestError ? error : null
  const cure = refusal
    ? CURES[refusal.code ?? '']
    : navigator.onLine
      ? 'Is it running? On this machine, npm start runs it.'
      : 'This device is offline.'
  return (
    <div role="alert" className="failure">
      <p>{refusal ? visibleText(refusal.message) : 'The service cannot be reached.'}</p>
      {cure && <p>{cure}</p>}
      {retry && (
        <button type="button" className="outline" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  )
}

/** The content once the query has data; before that its outline, or the reason why it has none. */
export function Loaded<T>({
  query,
  lines = 4,
  shape = 'lines',
  children,
}: {
  query: UseQueryResult<T>
  shape?: 'lines' | 'rows' | 'figures'
  /** how many lines the content has, about: it then takes its place without a jump */
  lines?: number
  children: (data: T) => ReactNode
}) {
  const retry = () => void query.refetch()
  if (query.error && query.data === undefined) return <Failure error={query.error} retry={retry} />
  if (query.data === undefined) return <Loading lines={lines} shape={shape} />
  return (
    <>
      <Failure error={query.error} retry={retry} />
      {children(query.data)}
    </>
  )
}

/** The outline of what follows, so that nothing jumps when it comes. */
export function Loading({
  lines = 4,
  shape = 'lines',
}: {
  lines?: number
  shape?: 'lines' | 'rows' | 'figures'
}) {
  return (
    <div aria-busy="true">
      <p className="hidden" role="status">
        Loading …
      </p>
      <div className={`skeleton ${shape}${shape === 'figures' ? ' tiles' : ''}`} aria-hidden="true">
        {Array.from({ length: lines }, (_, line) => (
          <span key={line} />
        ))}
      </div>
    </div>
  )
}

/** In the place of one figure that is on its way: nothing is claimed of it. */
export const Bar = () => (
  <span className="coming" aria-busy="true">
    <span className="hidden">loading</span>
  </span>
)

/** Nothing is there, and what to do next. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="empty" role="status">
      <strong>{title}</strong>
      {children && <div>{children}</div>}
    </div>
  )
}
