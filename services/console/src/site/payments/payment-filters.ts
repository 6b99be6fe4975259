// Which of one's own payments are listed. All of it stands in the address, so that a list can be kept and shared.
import { useSearchParams } from 'wouter'
import { useTokens, type Token } from '../api/tokens.js'
import { canBeTrackingId } from '../show/is-key.js'
import { parseAmount } from '../show/format-amount.js'

export const STATUSES = [
  { key: '', title: 'All but retracted', standing: undefined },
  { key: 'final', title: 'Final', standing: 'finalized' },
  { key: 'not-final', title: 'Not yet final', standing: 'confirmed' },
  { key: 'retracted', title: 'Retracted', standing: 'retracted' },
] as const

export const SORTS = [
  { key: '', title: 'Newest first', sort: 'newest' },
  { key: 'largest', title: 'Largest first', sort: 'largest' },
  { key: 'smallest', title: 'Smallest first', sort: 'smallest' },
] as const

const NAMES = ['token', 'status', 'min', 'max', 'from', 'to', 'sort'] as const
export type FilterName = (typeof NAMES)[number]
export type Filters = Readonly<Record<FilterName, string>>

/** The service takes a date for the whole day of UTC, as in its exports. Anybody can write anything into the address. */
const dayOf = (text: string): string | undefined => (/^\d{4}-\d\d-\d\d$/.test(text) ? text : undefined)

/** What the service is asked for. Amounts count only with their token: without it nobody knows their unit. */
export function queryOf(filters: Filters, text: string, tokens: ReadonlyMap<string, Token>) {
  const { token, status, min, max, from, to, sort } = filters
  const known = tokens.get(token)
  const amount = (value: string) =>
    known && value !== '' ? (parseAmount(value, known.decimals) ?? undefined) : undefined
  const query = {
    tokenMint: token || undefined,
    standing: STATUSES.find(({ key }) => key === status)?.standing,
    minAmount: amount(min),
    maxAmount: amount(max),
    startTime: dayOf(from),
    endTime: dayOf(to),
    trackingId: canBeTrackingId(text) ? text : undefined,
    sort: SORTS.find(({ key }) => key === sort)?.sort ?? 'newest',
  }
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined)) as {
    [Name in keyof typeof query]?: NonNullable<(typeof query)[Name]>
  }
}

export function usePaymentFilters() {
  const [parameters, setParameters] = useSearchParams()
  const tokens = useTokens()
  const filters = Object.fromEntries(NAMES.map(name => [name, parameters.get(name) ?? ''])) as Record<
    FilterName,
    string
  >
  return {
    filters,
    isFiltered: NAMES.some(name => filters[name] !== ''),
    queryOf: (text: string) => queryOf(filters, text, tokens),
    change: (changes: Partial<Filters>) =>
      setParameters(
        known => {
          const next = new URLSearchParams(known)
          for (const [name, value] of Object.entries(changes))
            if (value === '') next.delete(name)
            else next.set(name, value)
          return next
        },
        { replace: true },
      ),
    clear: () =>
      setParameters(known => {
        const next = new URLSearchParams(known)
        for (const name of NAMES) next.delete(name)
        return next
      }),
  }
}

export type PaymentFilters = ReturnType<typeof usePaymentFilters>
