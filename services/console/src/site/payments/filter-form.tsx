import { useTokens } from '../api/tokens.js'
import { parseAmount } from '../show/format-amount.js'
import { shorten } from '../show/values.js'
import { SORTS, STATUSES, type FilterName, type PaymentFilters } from './payment-filters.js'

/** Filters that work as soon as they are chosen. */
export function FilterForm({ filters: { filters, isFiltered, change, clear } }: { filters: PaymentFilters }) {
  const tokens = useTokens()
  const token = tokens.get(filters.token)
  const field = (name: FilterName, title: string, type: 'date' | 'text') => {
    const value = filters[name]
    const isWrong = type === 'text' && value !== '' && token && parseAmount(value, token.decimals) === null
    return (
      <label key={name}>
        {title}
        <input
          type={type}
          inputMode={type === 'text' ? 'decimal' : undefined}
          value={value}
          disabled={type === 'text' && !token}
          aria-invalid={isWrong || undefined}
          placeholder={type === 'text' ? (token ? `in ${token.symbol}` : 'choose a token') : undefined}
          onChange={event => change({ [name]: event.target.value })}
        />
        {isWrong && <small>This is no amount, so it filters nothing.</small>}
      </label>
    )
  }
  const choice = (
    name: FilterName,
    title: string,
    options: readonly { key: string; title: string }[],
    also: Partial<Record<FilterName, string>> = {},
  ) => (
    <label>
      {title}
      <select value={filters[name]} onChange={event => change({ [name]: event.target.value, ...also })}>
        {options.map(option => (
          <option key={option.key} value={option.key}>
            {option.title}
          </option>
        ))}
      </select>
    </label>
  )
  return (
    <details className="filters" open={isFiltered || undefined}>
      <summary>Filter and sort</summary>
      <div className="columns">
        {choice(
          'token',
          'Token',
          [
            { key: '', title: 'All tokens' },
            ...[...tokens].map(([key, { symbol }]) => ({ key, title: symbol })),
            ...(filters.token !== '' && !token
              ? [{ key: filters.token, title: shorten(filters.token) }]
              : []),
          ],
          { min: '', max: '' },
        )}
        {choice('status', 'Status', STATUSES)}
        {choice('sort', 'Sort', SORTS)}
        {field('from', 'From (UTC)', 'date')}
        {field('to', 'To (UTC)', 'date')}
        {field('min', 'Amount from', 'text')}
        {field('max', 'Amount to', 'text')}
      </div>
      {isFiltered && (
        <button type="button" className="outline" onClick={clear}>
          Clear filters
        </button>
      )}
    </details>
  )
}
