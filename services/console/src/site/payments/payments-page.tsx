import { useState } from 'react'
import { Badge } from '../show/values.js'
import { Loaded } from '../show/states.js'
import { PaymentTable } from './payment-table.js'
import { SearchForm, SearchResults, useSearch } from './search.js'
import { useLivePayments } from './use-live-payments.js'

export function PaymentsPage() {
  const search = useSearch()
  return (
    <>
      <h1>Payments</h1>
      <SearchForm search={search} />
      {search.text === '' ? <LivePayments /> : <SearchResults text={search.text} />}
    </>
  )
}

function LivePayments() {
  const [isLive, setLive] = useState(true)
  const { query, state } = useLivePayments(isLive)
  return (
    <section aria-labelledby="newest">
      <div className="row">
        <h2 id="newest">Newest</h2>
        <Badge tone={!isLive ? 'plain' : state === 'open' ? 'good' : 'wait'}>
          {!isLive ? 'held' : state === 'open' ? 'live' : state}
        </Badge>
        <button type="button" className="outline small" onClick={() => setLive(!isLive)}>
          {isLive ? 'Hold' : 'Go on'}
        </button>
      </div>
      <Loaded query={query}>
        {payments => (
          <PaymentTable
            title="Newest payments"
            payments={payments}
            empty="No payment is stored yet. npm run demo plays a small market."
          />
        )}
      </Loaded>
    </section>
  )
}
