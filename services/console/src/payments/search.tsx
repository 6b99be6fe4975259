// One field finds payments by tracking ID, signature, payer or recipient: the shape of the text tells which it can be.
import type { ApiClient } from '@payment-tracking/client'
import { useQuery } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import { useLocation, useSearchParams } from 'wouter'
import { apiOf, ask } from '../api/request.js'
import { Loaded } from '../show/states.js'
import { PaymentTable } from './payment-table.js'
import type { Payment } from './use-live-payments.js'

const SIGNATURE = /^[1-9A-HJ-NP-Za-km-z]{86,88}$/
const PUBLIC_KEY = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/
/** The payments of this many policies are read for a payer or recipient. */
const MOST_POLICIES = 20
const MOST_PAYMENTS = 100

export interface Search {
  text: string
  find: (text: string) => void
}

/** The search stands in the address, so that a result can be kept and shared. */
export function useSearch(): Search {
  const [parameters] = useSearchParams()
  const [, navigate] = useLocation()
  return {
    text: parameters.get('q') ?? '',
    find: text =>
      navigate(
        SIGNATURE.test(text)
          ? `/payments/${text}`
          : text === ''
            ? '/payments'
            : `/payments?q=${encodeURIComponent(text)}`,
      ),
  }
}

export function SearchForm({ search }: { search: Search }) {
  const [text, setText] = useState(search.text)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    search.find(text.trim())
  }
  return (
    <form role="search" onSubmit={submit}>
      <fieldset role="group">
        <input
          type="search"
          aria-label="Tracking ID, signature, payer or recipient"
          placeholder="Tracking ID, signature, payer or recipient"
          value={text}
          onChange={event => setText(event.target.value)}
        />
        <button type="submit">Search</button>
      </fieldset>
    </form>
  )
}

async function paymentsOfParty(api: ApiClient, key: string): Promise<Payment[]> {
  const policiesBy = (query: { recipient: string } | { userPublicKey: string }) =>
    ask(api.GET('/v1/subscriptions', { params: { query } })).then(({ data }) => data)
  const direct = (query: { directPayer: string } | { directRecipient: string }) =>
    ask(api.GET('/v1/events/payments', { params: { query: { ...query, limit: MOST_PAYMENTS } } }))
  const [received, paid, ...directly] = await Promise.all([
    policiesBy({ recipient: key }),
    policiesBy({ userPublicKey: key }),
    direct({ directPayer: key }),
    direct({ directRecipient: key }),
  ])
  const addresses = new Set([...received, ...paid].map(({ policyAddress }) => policyAddress))
  const lists = await Promise.all(
    [...addresses]
      .slice(0, MOST_POLICIES)
      .map(paymentPolicy =>
        ask(api.GET('/v1/events/payments', { params: { query: { paymentPolicy, limit: MOST_PAYMENTS } } })),
      ),
  )
  // A key can pay itself: then both lists hold the payment.
  const found = new Map([...directly, ...lists].flat().map(payment => [payment.id, payment]))
  return [...found.values()].sort((a, b) => b.timestamp.localeCompare(a.timestamp))
}

async function findPayments(text: string): Promise<Payment[]> {
  const api = apiOf()
  const events = await ask(
    api.GET('/v1/events', { params: { query: { trackingId: text, limit: MOST_PAYMENTS } } }),
  )
  const byMemo = events.filter(({ amountString }) => amountString !== undefined)
  const ofParty = PUBLIC_KEY.test(text) ? await paymentsOfParty(api, text) : []
  const known = new Set(byMemo.map(({ id }) => id))
  return [...byMemo, ...ofParty.filter(({ id }) => !known.has(id))]
}

export function SearchResults({ text }: { text: string }) {
  const query = useQuery({ queryKey: ['payments', 'search', text], queryFn: () => findPayments(text) })
  return (
    <section aria-labelledby="found">
      <h2 id="found">Payments of “{text}”</h2>
      {PUBLIC_KEY.test(text) && (
        <p className="quiet">
          Direct payments, and those of the newest {MOST_POLICIES} policies, that this key pays or is paid by.
        </p>
      )}
      <Loaded query={query}>
        {payments => (
          <PaymentTable title="Found payments" payments={payments} empty="No payment was found." />
        )}
      </Loaded>
    </section>
  )
}
