// The first page: what came in, and is all well? Each figure leads to its list.
import { Link } from 'wouter'
import { NoPayment } from '../payments/no-payment.js'
import { LivePaymentTable } from '../payments/live-payment-table.js'
import { LiveBadge } from '../payments/live-badge.js'
import { useLivePayments } from '../payments/use-live-payments.js'
import { overdueOf } from '../gateway/due.js'
import { useLate } from '../show/use-delays.js'
import { useSession } from '../session/session.js'
import { useWhose, WhoseSwitch } from '../session/whose.js'
import { PageHead } from '../show/page-head.js'
import { Failure, Loaded, Loading } from '../show/states.js'
import { AT_RISK, judge, type Judgement } from './judge.js'
import { RateChart } from './rate-chart.js'
import { PaymentsAtRisk } from '../risks/payments-at-risk.js'
import { paymentsOfDay, Tiles } from './tiles.js'
import { isRead, useGatewayOverview, type Unread } from './use-gateway-overview.js'
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
  const { isKnown } = useSession()
  const isSettled = isKnown && own !== undefined
  const verdict = judge({
    answers: query.data !== undefined || query.error === null,
    isOwnRead: isKnown && own !== undefined,
    late,
    live: live.state,
    paymentsOfDay: query.data ? paymentsOfDay(query.data) : null,
    hasPayments: live.query.data ? live.query.data.length > 0 : null,
    followsChain: (query.data?.finalizedSlot ?? null) !== null,
    announcedP50: numberOf(query.data?.delays.toAnnounced.p50),
    endpoints: readOf(own?.endpoints),
    overdue: own && isRead(own.notPaid) ? overdueOf(own.notPaid) : null,
    atRisk: readOf(own?.atRisk),
    underpaid: readOf(own?.underpaid),
  })
  return (
    <>
      <PageHead title="Overview">
        <LiveBadge state={live.state} isLive />
        <WhoseSwitch whose={whose} />
      </PageHead>
      {/* The verdict and what stands below it come at once: its lines would move the rest, as the switch above it would. */}
      {!isKnown ? (
        <Loading lines={12} />
      ) : query.data && isSettled ? (
        <Verdict {...verdict} isStranger={!isSignedIn} />
      ) : query.error ? (
        <Failure error={query.error} retry={() => void query.refetch()} />
      ) : (
        <section className="verdict plain" aria-busy="true">
          <strong>Looking …</strong>
        </section>
      )}
      {query.data && isSettled ? (
        <>
          <Tiles overview={query.data} own={own} whose={whose} />
          <section className="panel">
            <RateChart overview={query.data} />
          </section>
        </>
      ) : (
        isKnown &&
        !query.error && (
          <>
            <Loading lines={isSignedIn ? 6 : 4} shape="figures" />
            <Loading lines={5} />
          </>
        )
      )}
      {isKnown && ((query.data && isSettled) || query.error) && (
        <>
          {isSignedIn && (
            <PaymentsAtRisk id={AT_RISK.slice(1)} title="Payments at risk" limit={MOST_AT_RISK} />
          )}
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
      )}
    </>
  )
}

const readOf = <T,>(value: T | Unread | undefined): T | null =>
  value !== undefined && isRead(value) ? value : null

const numberOf = (value: number | bigint | null | undefined): number | null =>
  value === null || value === undefined ? null : Number(value)

function Verdict({ tone, text, detail, findings, isStranger }: Judgement & { isStranger: boolean }) {
  return (
    <section className={`verdict ${tone}`} aria-label="Is all well?">
      <strong>{text}</strong>
      {detail !== '' && <span>{detail}</span>}
      {findings.length === 0 && tone !== 'bad' && isStranger && (
        <span>Sign in to see your endpoints and due payments.</span>
      )}
      {findings.length > 0 && (
        <ul>
          {findings.map(({ text: finding, href }) => (
            <li key={finding}>
              {href.startsWith('#') ? <a href={href}>{finding}</a> : <Link href={href}>{finding}</Link>}
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
