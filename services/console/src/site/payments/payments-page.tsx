import { useState } from 'react'
import { PageHead } from '../show/page-head.js'
import { Empty, Loaded } from '../show/states.js'
import { LiveBadge } from './live-badge.js'
import { OlderPayments } from './older-payments.js'
import { LivePaymentTable } from './live-payment-table.js'
import { SearchForm, SearchResults, useSearch } from './search.js'
import { useLivePayments } from './use-live-payments.js'

export function PaymentsPage() {
  const search = useSearch()
  const [isLive, setLive] = useState(true)
  const live = useLivePayments(isLive && search.text === '')
  return (
    <>
      <PageHead
        title="Payments"
        lead="Anyone can write any memo. Before you ship, compare recipient, token and amount: open a payment, or ask /v1/payments/check."
      >
        {search.text === '' && (
          <>
            <LiveBadge state={live.state} isLive={isLive} />
            <button type="button" className="outline actions" onClick={() => setLive(!isLive)}>
              {isLive ? 'Pause' : 'Resume'}
            </button>
          </>
        )}
      </PageHead>
      <SearchForm search={search} />
      {search.text === '' ? (
        <Loaded query={live.query} lines={10}>
          {payments =>
            payments.length === 0 ? (
              <Empty title="No payment is stored yet">
                <code className="command">npm run demo</code> plays a small market; a payment shows here at
                the moment it is stored.
              </Empty>
            ) : (
              <>
                <LivePaymentTable title="Newest payments" payments={payments} />
                <OlderPayments newest={payments} />
              </>
            )
          }
        </Loaded>
      ) : (
        <SearchResults text={search.text} />
      )}
    </>
  )
}
