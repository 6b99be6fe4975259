// One field finds payments by tracking ID, signature, payer or recipient: the shape of the text tells which it can be.
import { useQuery } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import { Link, useLocation, useSearchParams } from 'wouter'
import { WithoutBlanks } from '../filters/without-blanks.js'
import { Meant } from '../find/meant.js'
import type { Whose } from '../session/whose.js'
import { canBeTrackingId, isKey } from '../show/is-key.js'
import { Memo } from '../show/memo.js'
import { shownWords } from '../show/pager.js'
import { Empty, Failure, Loaded, Loading } from '../show/states.js'
import { findByMemo, findParty, MOST_PAYMENTS, type Party } from './find-payments.js'
import { PaymentTable } from './payment-table.js'
import type { Payment } from './use-live-payments.js'
import { usePolicyPayments } from './use-policy-payments.js'

const SIGNATURE = /^[1-9A-HJ-NP-Za-km-z]{86,88}$/

export interface Search {
  text: string
  find: (text: string) => void
}

/** The search stands in the address, so that a result can be kept and shared. */
export function useSearch(): Search {
  const [parameters, setParameters] = useSearchParams()
  const [, navigate] = useLocation()
  return {
    text: parameters.get('q') ?? '',
    find: text => {
      if (SIGNATURE.test(text.trim())) return navigate(`/payments/${text.trim()}`)
      setParameters(known => {
        const next = new URLSearchParams(known)
        if (text === '') next.delete('q')
        else next.set('q', text)
        return next
      })
    },
  }
}

export function SearchForm({ search }: { search: Search }) {
  const [text, setText] = useState(search.text)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    // A tracking ID may begin and end with blanks.
    search.find(text)
  }
  return (
    <form role="search" className="line" onSubmit={submit}>
      <input
        type="search"
        aria-label="Tracking ID, signature, payer or recipient"
        placeholder="Tracking ID, signature, payer or recipient"
        value={text}
        onChange={event => setText(event.target.value)}
      />
      <button type="submit">Search</button>
    </form>
  )
}

interface Found {
  byMemo: readonly Payment[]
  party: Party
}

const NOBODY: Party = { policies: [], direct: [] }

export function SearchResults({ text, whose: { gateway, linkTo } }: { text: string; whose: Whose }) {
  const query = useQuery({
    queryKey: ['payments', 'search', text, gateway],
    queryFn: async (): Promise<Found> => {
      const [byMemo, party] = await Promise.all([
        canBeTrackingId(text) ? findByMemo(text, gateway) : [],
        isKey(text) ? findParty(text.trim(), gateway) : NOBODY,
      ])
      return { byMemo, party }
    },
  })
  return (
    <section aria-labelledby="found">
      <div className="row">
        <h2 id="found">
          {gateway === null ? 'Payments' : 'My payments'} of “<Memo value={text} />”
        </h2>
        <Link className="right" href={linkTo('/payments')}>
          {gateway === null ? 'All payments' : 'All my payments'}
        </Link>
      </div>
      <Loaded query={query}>{found => <FoundPayments text={text} found={found} gateway={gateway} />}</Loaded>
    </section>
  )
}

function FoundPayments({
  text,
  found: { byMemo, party },
  gateway,
}: {
  text: string
  found: Found
  gateway: string | null
}) {
  const more = usePolicyPayments(text, party.policies, gateway)
  const { length: known } = party.policies
  // A key can pay itself, or be a tracking ID: then several lists hold the payment.
  const payments = new Map([...byMemo, ...party.direct, ...more.payments].map(each => [each.id, each]))
  const newestFirst = [...payments.values()].sort((a, b) => b.timestamp.localeCompare(a.timestamp))
  return (
    <>
      {isKey(text) && (
        <p className="quiet">
          {known === 0
            ? 'Direct payments: no policy names this key.'
            : `Direct payments, and those of ${more.read} of ${known} policies that this key pays or is paid by, the lately changed ones first.`}
        </p>
      )}
      <Failure error={more.error} />
      {payments.size > 0 ? (
        <>
          <p className="quiet" role="status">
            {shownWords(0, payments.size, more.next > 0 || byMemo.length >= MOST_PAYMENTS)}
          </p>
          <PaymentTable title="Found payments" payments={newestFirst} />
        </>
      ) : more.isReading ? (
        <Loading />
      ) : (
        <Empty title="No payment was found">
          {gateway !== null && 'Only payments of your gateway were searched. '}A payment of the last seconds
          may not be stored yet.
          <Meant text={text} />
          <WithoutBlanks parameter="q" />
        </Empty>
      )}
      {more.next > 0 && (
        <button type="button" className="outline" disabled={more.isReading} onClick={more.readNext}>
          {`Load ${more.next} more ${more.next === 1 ? 'policy' : 'policies'}`}
        </button>
      )}
    </>
  )
}
