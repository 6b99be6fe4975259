// The first page: is all well? Each figure leads to its list.
import { useState } from 'react'
import { Link } from 'wouter'
import { LivePaymentTable } from '../payments/live-payment-table.js'
import { LiveBadge } from '../payments/live-badge.js'
import { useLivePayments } from '../payments/use-live-payments.js'
import { useSession } from '../session/session.js'
import { formatDuration } from '../show/format-time.js'
import { PageHead } from '../show/page-head.js'
import { Empty, Failure, Loaded, Loading } from '../show/states.js'
import { judge } from './judge.js'
import { RateChart } from './rate-chart.js'
import { PaymentsAtRisk } from '../risks/payments-at-risk.js'
import { Tile, TokenSums } from './tile.js'
import { DUE_DAYS, OVERDUE_DAYS, useGatewayOverview, type GatewayOverview } from './use-gateway-overview.js'
import { useOverview, type Overview } from './use-overview.js'

const NEWEST = 5
const MOST_AT_RISK = 5

export function OverviewPage() {
  const { session } = useSession()
  const [isOwn, setOwn] = useState(true)
  const gateway = session && isOwn ? session.gateway : null
  const query = useOverview(gateway)
  const live = useLivePayments(true, gateway)
  const own = useGatewayOverview()
  const verdict = judge({
    answers: query.data !== undefined || query.error === null,
    live: live.state,
    announcedP50: numberOf(query.data?.delays.toAnnounced.p50),
    endpoints: own?.endpoints ?? null,
    overdue: own?.overdue ? Number(own.overdue.total) : null,
  })
  return (
    <>
      <PageHead title="Overview">
        <LiveBadge state={live.state} isLive />
        {session && <WhoseFigures isOwn={isOwn} onChange={setOwn} />}
      </PageHead>
      {query.data ? (
        <Verdict {...verdict} isSignedIn={session !== null} />
      ) : query.error ? (
        <Failure error={query.error} retry={() => void query.refetch()} />
      ) : (
        <div className="verdict plain" aria-busy="true">
          <strong>Looking …</strong>
        </div>
      )}
      {query.data ? (
        <>
          <Tiles overview={query.data} own={own} isSignedIn={session !== null} />
          <section className="panel">
            <RateChart overview={query.data} />
          </section>
        </>
      ) : (
        !query.error && <Loading lines={12} />
      )}
      {session && isOwn && <PaymentsAtRisk title="At risk this week" limit={MOST_AT_RISK} />}
      <section aria-labelledby="newest">
        <div className="row">
          <h2 id="newest">Newest payments</h2>
          <Link className="right" href="/payments">
            All payments
          </Link>
        </div>
        <Loaded query={live.query} lines={NEWEST}>
          {payments =>
            payments.length === 0 ? (
              <Empty title="No payment is stored yet">
                <code className="command">npm run demo</code> plays a small market; a payment shows here at
                the moment it is stored.
              </Empty>
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

function WhoseFigures({ isOwn, onChange }: { isOwn: boolean; onChange: (isOwn: boolean) => void }) {
  return (
    <div className="choice actions" role="group" aria-label="Payments of">
      <button type="button" aria-pressed={isOwn} onClick={() => onChange(true)}>
        My gateway
      </button>
      <button type="button" aria-pressed={!isOwn} onClick={() => onChange(false)}>
        All gateways
      </button>
    </div>
  )
}

function Verdict({ tone, text, findings, isSignedIn }: ReturnType<typeof judge> & { isSignedIn: boolean }) {
  return (
    <section className={`verdict ${tone}`} aria-label="Is all well?">
      <strong>{text}</strong>
      {findings.length === 0 && (
        <span>
          {isSignedIn
            ? 'Payments arrive, no endpoint fails, nothing is overdue.'
            : 'Payments arrive. Endpoints and due payments show after a sign-in.'}
        </span>
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

interface TilesProps {
  overview: Overview
  own: GatewayOverview | null
  isSignedIn: boolean
}

function Tiles({ overview, own, isSignedIn }: TilesProps) {
  const { lastMinute, hours, byToken, delays } = overview
  const ofDay = hours.reduce((sum, { count }) => sum + Number(count), 0)
  const { p50, p95 } = delays.toAnnounced
  return (
    <div className="tiles">
      <Tile
        name="Payments in the last minute"
        href="/payments"
        figure={`${Number(lastMinute.count).toLocaleString('en-US')}${lastMinute.complete ? '' : ' or more'}`}
      >
        {ofDay.toLocaleString('en-US')} in the last 24 hours
      </Tile>
      <Tile
        name="From the chain to sockets"
        href="/payments"
        figure={p50 === null ? 'no payment yet' : formatDuration(Number(p50))}
        isText={p50 === null}
      >
        {p95 === null
          ? 'measured on the newest payments of 24 hours'
          : `half of the newest ${String(delays.measured)}; 95 % within ${formatDuration(Number(p95))}`}
      </Tile>
      <Tile
        name="Volume in 24 hours"
        href={isSignedIn ? '/revenue' : '/payments'}
        figure={<TokenSums sums={byToken} />}
        isText
      >
        by token; tokens are never added
      </Tile>
      {isSignedIn ? (
        own && <GatewayTiles own={own} />
      ) : (
        <Tile name="Due, overdue, endpoints" href="/sign-in" figure="Sign in" isText>
          as a gateway, to see what is due, what is late, and whether its endpoints answer
        </Tile>
      )}
    </div>
  )
}

function GatewayTiles({ own: { endpoints, due, overdue } }: { own: GatewayOverview }) {
  const failing = endpoints?.filter(({ active, failingSince }) => active && failingSince !== null).length ?? 0
  const active = endpoints?.filter(each => each.active).length ?? 0
  const late = Number(overdue?.total ?? 0)
  return (
    <>
      <Tile
        name={`Due in ${DUE_DAYS} days`}
        href="/revenue"
        figure={due ? <TokenSums sums={due.byToken} /> : 'not for this key'}
        isText
      >
        {due &&
          `${Number(due.total).toLocaleString('en-US')} ${Number(due.total) === 1 ? 'payment' : 'payments'}`}
      </Tile>
      <Tile
        name="Past the due date"
        href="/revenue"
        tone={late > 0 ? 'wait' : ''}
        figure={overdue ? late.toLocaleString('en-US') : 'not for this key'}
        isText={!overdue}
      >
        {overdue && `not paid, of the last ${OVERDUE_DAYS} days`}
      </Tile>
      <Tile
        name="Endpoints"
        href="/endpoints"
        tone={failing > 0 ? 'bad' : ''}
        figure={
          endpoints === null
            ? 'not for this key'
            : endpoints.length === 0
              ? 'none yet'
              : failing > 0
                ? `${failing} of ${active} ${failing === 1 ? 'fails' : 'fail'}`
                : `${active} healthy`
        }
        isText={endpoints === null}
      >
        {endpoints?.length === 0 ? 'add one to be told of payments' : 'webhooks of this gateway'}
      </Tile>
    </>
  )
}
