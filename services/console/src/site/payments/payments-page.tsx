import { useState } from 'react'
import { useSession } from '../session/session.js'
import { SignIn } from '../session/sign-in.js'
import { useWhose, WhoseSwitch } from '../session/whose.js'
import { DensitySwitch } from '../show/density.js'
import { canBeTrackingId, isKey } from '../show/is-key.js'
import { PageHead } from '../show/page-head.js'
import { Loaded, Loading } from '../show/states.js'
import { AllSums } from './all-sums.js'
import { FilterForm } from './filter-form.js'
import { FilteredPayments } from './filtered-payments.js'
import { LiveBadge } from './live-badge.js'
import { NoPayment } from './no-payment.js'
import { OlderPayments } from './older-payments.js'
import { LivePaymentTable } from './live-payment-table.js'
import { usePaymentFilters } from './payment-filters.js'
import { SearchForm, SearchResults, useSearch } from './search.js'
import { useLivePayments } from './use-live-payments.js'

export function PaymentsPage() {
  const search = useSearch()
  const whose = useWhose()
  const { gateway } = whose
  const filters = usePaymentFilters()
  // A key can be a payer or a recipient; any other text is the beginning of a tracking ID, where it is none too long.
  const isBeginning = canBeTrackingId(search.text) && !isKey(search.text)
  const isOwnList = gateway !== null && (filters.isFiltered || isBeginning)
  const isNewest = !isOwnList && search.text === ''
  const [isLive, setLive] = useState(true)
  const live = useLivePayments(isLive && isNewest, gateway)
  const { isKnown } = useSession()
  // Filters are of one's own payments: a link that was shared waits for the sign-in, and shows nothing else meanwhile.
  if (filters.isFiltered && !whose.isSignedIn) return isKnown ? <SignIn /> : <Loading lines={12} />
  return (
    <>
      <PageHead
        title={gateway === null ? 'Payments' : 'My payments'}
        lead="Anyone can write any memo. Before you ship, compare recipient, token and amount: open a payment, or ask /v1/payments/check."
      >
        <WhoseSwitch whose={whose} />
        <DensitySwitch />
        {isNewest && (
          <>
            <LiveBadge state={live.state} isLive={isLive} />
            <button type="button" className="outline actions" onClick={() => setLive(!isLive)}>
              {isLive ? 'Pause' : 'Resume'}
            </button>
          </>
        )}
      </PageHead>
      <SearchForm key={search.text} search={search} />
      {gateway !== null && <FilterForm filters={filters} />}
      {isOwnList ? (
        <FilteredPayments filters={filters} text={search.text} />
      ) : search.text === '' ? (
        <Loaded query={live.query} lines={16} shape="rows">
          {payments =>
            payments.length === 0 ? (
              <NoPayment isOwn={gateway !== null} />
            ) : (
              <>
                {gateway !== null && <AllSums gateway={gateway} />}
                <LivePaymentTable title="Newest payments" payments={payments} />
                <OlderPayments key={gateway} newest={payments} gateway={gateway} />
              </>
            )
          }
        </Loaded>
      ) : (
        <SearchResults text={search.text} whose={whose} />
      )}
    </>
  )
}
