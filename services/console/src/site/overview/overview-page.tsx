// The first page: what came in, and is all well? Each figure leads to its list.
import { Link } from 'wouter'
import { NoPayment } from '../payments/no-payment.js'
import { LivePaymentTable } from '../payments/live-payment-table.js'
import { LiveBadge } from '../payments/live-badge.js'
import { useLivePayments } from '../payments/use-live-payments.js'
import { overdueOf } from '../gateway/due.js'
import { useLate } from '../show/use-delays.js'
import { useWhose, WhoseSwitch } from '../session/whose.js'
import { PageHead } from '../show/page-head.js'
import { Failure, Loaded, Loading } from '../show/states.js'
import { judge, type Judgement } from './judge.js'
import { RateChart } from './rate-chart.js'
import { PaymentsAtRisk } from '../risks/payments-at-risk.js'
import { paymentsOfDay, Tiles } from './tiles.js'
import { COMING_OVERVIEW, isRead, useGatewayOverview } from './use-gateway-overview.js'
import { useOverview } from './use-overview.js'

const NEWEST = 5
const MOST_AT_RISK = 5

export function OverviewPage() {
  const whose = useWhose()
  const { gateway, isSignedIn, linkTo } = whose
  const query = useOverview(gateway)
  const live = useLivePayments(true, gateway)
  const own = useGatewayOverview()
  const late = useLate()
  const verdict = judge({
    answers: query.data !== undefined || query.error === null,
    isOwnRead: own !== COMING_OVERVIEW,
    late,
    live: live.state,
    paymentsOfDay: query.data ? paymentsOfDay(query.data) : null,
    hasPayments: live.query.data ? live.query.data.length > 0 : null,
    followsChain: (query.data?.finalizedSlot ?? null) !== null,
    announcedP50: numberOf(query.data?.delays.toAnnounced.p50),
    endpoints: own && isRead(own.endpoints) ? own.endpoints : null,
    overdue: own && isRead(own.notPaid) ? overdueOf(own.notPaid) : null,
  })
  return (
    <>
      <PageHead title="Overview">
        <LiveBadge state={live.state} isLive />
        <WhoseSwitch whose={whose} />
      </PageHead>
      {query.data ? (
        <Verdict {...verdict} isSignedIn={isSignedIn} />
      ) : query.error ? (
        <Failure error={query.error} retry={() => void query.refetch()} />
      ) : (
        <section className="verdict plain" aria-busy="true">
          <strong>Looking …</strong>
        </section>
      )}
      {query.data ? (
        <>
          <Tiles overview={query.data} own={own} whose={whose} />
          <section className="panel">
            <RateChart overview={query.data} />
          </section>
        </>
      ) : (
        !query.error && (
          <>
            <Loading lines={isSignedIn ? 6 : 4} shape="figures" />
            <Loading lines={5} />
          </>
        )
      )}
      {gateway !== null && <PaymentsAtRisk title="At risk this week" limit={MOST_AT_RISK} />}
      <section aria-labelledby="newest">
        <div className="row">
          <h2 id="newest">{gateway === null ? 'Newest payments' : 'My newest payments'}</h2>
          <Link className="right" href={linkTo('/payments')}>
            {gateway === null ? 'All payments' : 'All my payments'}
          </Link>
        </div>
        <Loaded query={live.query} lines={NEWEST + 1} shape="rows">
          {payments =>
            payments.length === 0 ? (
              <NoPayment isOwn={gateway !== null} />
            ) : (
              <LivePaymentTable title="The newest payments" payments={payments.slice(0, NEWEST)} />
            )
          }
        </Loaded>
      </section>
    </>
  )
}

const numberOf = (value: number | bigint | null | undefined): number | null =>
  value === null || value === undefined ? null : Number(value)

function Verdict({ tone, text, detail, findings, isSignedIn }: Judgement & { isSignedIn: boolean }) {
  return (
    <section className={`verdict ${tone}`} aria-label="Is all well?">
      <strong>{text}</strong>
      {detail !== '' && <span>{detail}</span>}
      {findings.length === 0 && tone !== 'bad' && !isSignedIn && (
        <span>Sign in to see your endpoints and due payments.</span>
      )}
      {findings.length > 0 && (
        <ul>
          {findings.map(({ text: finding, href }) => (
            <li key={finding}>
              <Link href={href}>{finding}</Link>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
