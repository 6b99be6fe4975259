// Which customers are listed: it stands in the address, so that a list can be kept and shared.
import { useState, type FormEvent } from 'react'
import { Link, useLocation, useSearchParams } from 'wouter'

/** `neverPaid` lists all who never paid, also those who are overdue or active. */
export const FILTERS = [
  { key: 'all', title: 'All who paid', word: 'paying', query: {} },
  { key: 'overdue', title: 'Overdue', word: 'overdue customer', query: { state: 'overdue' } },
  { key: 'at_risk', title: 'At risk', word: 'customer at risk', query: { state: 'at_risk' } },
  { key: 'active', title: 'Active', word: 'active customer', query: { state: 'active' } },
  { key: 'ended', title: 'Ended or one-time', word: 'ended or one-time', query: { state: 'ended' } },
  { key: 'never_paid', title: 'Never paid', word: 'never paid', query: { neverPaid: true } },
] as const
export type FilterKey = (typeof FILTERS)[number]['key']

/** Of all who paid. */
export const SORTS = [
  { key: '', title: 'Newest customers first', sort: 'newest' },
  { key: 'last-payment', title: 'Last payment first', sort: 'last_payment' },
  { key: 'paid', title: 'Most paid first', sort: 'paid' },
] as const
type SortKey = (typeof SORTS)[number]['key']

export interface CustomerFilter {
  key: FilterKey
  search: string
  sort: SortKey
}

/** Only all who paid have an order of their own. */
export const isSortable = ({ key, search }: CustomerFilter): boolean => key === 'all' && search === ''

export function useCustomerFilter(): CustomerFilter {
  const [parameters] = useSearchParams()
  const given = parameters.get('show')
  return {
    key: FILTERS.find(({ key }) => key === given)?.key ?? 'all',
    search: parameters.get('q') ?? '',
    sort: SORTS.find(({ key }) => key === parameters.get('sort'))?.key ?? '',
  }
}

export function linkOf(filter: CustomerFilter): string {
  const { key, search, sort } = filter
  const parameters = new URLSearchParams({
    ...(key === 'all' ? {} : { show: key }),
    ...(search === '' ? {} : { q: search }),
    ...(isSortable(filter) && sort !== '' && { sort }),
  }).toString()
  return parameters === '' ? '/customers' : `/customers?${parameters}`
}

export function CustomerFilters({ filter }: { filter: CustomerFilter }) {
  const [, navigate] = useLocation()
  const [text, setText] = useState(filter.search)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    navigate(linkOf({ ...filter, search: text }))
  }
  return (
    <>
      <nav aria-label="Which customers">
        <ul className="choices">
          {FILTERS.map(({ key, title }) => (
            <li key={key}>
              <Link href={linkOf({ ...filter, key })} aria-current={key === filter.key ? 'true' : undefined}>
                {title}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <form role="search" className="line" onSubmit={submit}>
        <input
          type="search"
          aria-label="Name, wallet or tracking ID"
          placeholder="Name, wallet or tracking ID"
          maxLength={200}
          value={text}
          onChange={event => setText(event.target.value)}
        />
        <button type="submit">Search</button>
      </form>
      {isSortable(filter) && (
        <label className="beside">
          Order
          <select
            value={filter.sort}
            onChange={event => navigate(linkOf({ ...filter, sort: event.target.value as SortKey }))}
          >
            {SORTS.map(({ key, title }) => (
              <option key={key} value={key}>
                {title}
              </option>
            ))}
          </select>
        </label>
      )}
    </>
  )
}
