import { Link } from 'wouter'
import { ask } from '../api/request.js'
import { useChoice } from '../filters/use-filter.js'
import { useGatewayQuery } from '../session/use-gateway.js'
import { Before } from '../show/before.js'
import { Figures } from '../show/figures.js'
import { PageHead } from '../show/page-head.js'
import { Bar, Empty, Loaded } from '../show/states.js'
import { Cohorts } from './cohort-table.js'
import { Downloads } from './downloads.js'
import { DueChart } from './due-chart.js'
import { DuePayments } from './due-payments.js'
import { overdueOf, payments } from './due.js'
import { revenueSpan } from './revenue-span.js'
import { SubscriberChart } from './subscriber-chart.js'
import { TokenRevenue } from './token-revenue.js'
import { churnOf, isKnownFrom, useRevenueBefore } from './use-revenue-before.js'
import { useNotPaid } from './use-due.js'

const SPANS = ['7', '30', '90', '365'] as const

export function RevenuePage() {
  const [span, setSpan] = useChoice('days', SPANS, '30')
  const { startTime, per, name } = revenueSpan(Number(span), Date.now())
  const query = useGatewayQuery(['revenue', span], ({ api, gateway }) =>
    ask(
      api.GET('/v1/gateway/{gateway}/merchant/revenue', {
        params: {
          path: { gateway },
          query: { startTime, bucket: per },
        },
      }),
    ),
  )
  const before = useRevenueBefore(query.data)
  const notPaid = useNotPaid()
  return (
    <>
      <PageHead
        title="Revenue"
        lead="Face value of the payments, before fees. Amounts of different tokens are never added."
      >
        <label className="beside actions">
          Period
          <select value={span} onChange={event => setSpan(event.target.value as typeof span)}>
            {SPANS.map(each => (
              <option key={each} value={each}>
                {revenueSpan(Number(each), Date.now()).name}
              </option>
            ))}
          </select>
        </label>
      </PageHead>
      {/* As tall as a phone: what is below would jump by more than a screen. */}
      <Loaded query={query} lines={24}>
        {revenue => {
          const { subscriptions, byToken, subscribers, knownSince } = revenue
          return (
            <>
              <Figures
                figures={[
                  ['active subscriptions', String(subscriptions.active), 'active'],
                  [
                    'overdue',
                    <Link key="overdue" href="/customers?show=overdue">
                      {notPaid.data ? (
                        `${notPaid.data.complete ? '' : 'at least '}${payments(overdueOf(notPaid.data))}`
                      ) : notPaid.error ? (
                        'not available now'
                      ) : (
                        <Bar />
                      )}
                    </Link>,
                    'overdue',
                  ],
                  ['paused', String(subscriptions.paused), 'paused'],
                  ['completed', String(subscriptions.completed), 'completed'],
                  [
                    `churn over ${name}`,
                    <>
                      {churnOf(revenue)} <Before of={name} value={before && before.churn} />
                    </>,
                    'churn',
                  ],
                ]}
              />
              {byToken.map(token => (
                <TokenRevenue
                  key={token.tokenMint ?? 'unknown'}
                  token={token}
                  per={per}
                  knownSince={knownSince}
                  span={name}
                  volumeBefore={before && before.volumeOf(token.tokenMint)}
                  isStartKnown={isKnownFrom(Date.parse(revenue.startTime), knownSince)}
                />
              ))}
              {byToken.length === 0 && (
                <Empty title="No payments and no subscriptions in this period">
                  Choose a longer period, or let <code className="command">npm run demo</code> play a small
                  market.
                </Empty>
              )}
              <section className="panel" aria-label="Subscribers">
                <SubscriberChart points={subscribers} per={per} knownSince={knownSince} />
              </section>
            </>
          )
        }}
      </Loaded>
      <Cohorts />
      <DueChart />
      <DuePayments
        title="Due and not paid"
        empty="Nothing that is due is unpaid."
        fromDays={null}
        toDays={0}
      />
      <DuePayments title="Due in the next 30 days" empty="Nothing is due." fromDays={0} toDays={30} />
      <Downloads firstDay={startTime.slice(0, 10)} period={`The last ${name}`} />
    </>
  )
}
