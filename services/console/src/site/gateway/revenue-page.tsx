import { useState } from 'react'
import { Link } from 'wouter'
import { ask } from '../api/request.js'
import { useGatewayQuery } from '../session/use-gateway.js'
import { Figures } from '../show/figures.js'
import { PageHead } from '../show/page-head.js'
import { Empty, Loaded } from '../show/states.js'
import { Cohorts } from './cohort-table.js'
import { Downloads } from './downloads.js'
import { DueChart } from './due-chart.js'
import { DuePayments } from './due-payments.js'
import { SubscriberChart } from './subscriber-chart.js'
import { TokenRevenue } from './token-revenue.js'

const DAY_MS = 86_400_000
const SPANS = [7, 30, 90, 365] as const
/** Longer spans are drawn by weeks: a bar of a day would be thinner than a line. */
const MOST_DAYS = 90

export function RevenuePage() {
  const [days, setDays] = useState<number>(30)
  const per = days > MOST_DAYS ? 'week' : 'day'
  const query = useGatewayQuery(['revenue', days], ({ api, gateway }) =>
    ask(
      api.GET('/v1/gateway/{gateway}/merchant/revenue', {
        params: {
          path: { gateway },
          query: { startTime: new Date(Date.now() - days * DAY_MS).toISOString(), bucket: per },
        },
      }),
    ),
  )
  return (
    <>
      <PageHead
        title="Revenue"
        lead="Face value of the payments, before fees. Amounts of different tokens are never added."
      >
        <label className="beside actions">
          Span
          <select value={days} onChange={event => setDays(Number(event.target.value))}>
            {SPANS.map(span => (
              <option key={span} value={span}>
                {span} days
              </option>
            ))}
          </select>
        </label>
      </PageHead>
      <Loaded query={query} lines={10}>
        {({ subscriptions, churn, byToken, subscribers, knownSince }) => (
          <>
            <Figures
              figures={[
                ['active subscriptions', String(subscriptions.active)],
                [
                  'overdue',
                  <Link key="overdue" href="/customers?show=overdue">
                    {String(subscriptions.overdue)}
                  </Link>,
                ],
                ['paused', String(subscriptions.paused)],
                ['completed', String(subscriptions.completed)],
                [
                  'churn',
                  churn.rate === null
                    ? 'none yet'
                    : `${String(churn.churned)} of ${String(churn.activeAtStart)}`,
                ],
              ]}
            />
            {byToken.map(token => (
              <TokenRevenue
                key={token.tokenMint ?? 'unknown'}
                token={token}
                per={per}
                knownSince={knownSince}
              />
            ))}
            {byToken.length === 0 && (
              <Empty title="No payment and no subscription in this span">
                Choose a longer span, or let <code className="command">npm run demo</code> play a small
                market.
              </Empty>
            )}
            <section className="panel" aria-label="Subscribers">
              <SubscriberChart points={subscribers} per={per} knownSince={knownSince} />
            </section>
          </>
        )}
      </Loaded>
      <Cohorts />
      <DueChart />
      <DuePayments
        title="Due and not paid in the last 90 days"
        empty="Nothing is overdue."
        fromDays={-90}
        toDays={0}
      />
      <DuePayments title="Due in the next 30 days" empty="Nothing is due." fromDays={0} toDays={30} />
      <Downloads />
    </>
  )
}
