import type { Schemas } from '@payment-tracking/client'
import { useState } from 'react'
import { ask } from '../api/request.js'
import { useTokens } from '../api/tokens.js'
import { useGatewayOrder, useGatewayQuery } from '../session/use-gateway.js'
import { Figures } from '../show/figures.js'
import { Failure, Loaded, Table } from '../show/states.js'
import { Amount, Key } from '../show/values.js'
import { BarChart } from './bar-chart.js'
import { download } from './download.js'
import { DuePayments } from './due-payments.js'

const DAY_MS = 86_400_000
const SPANS = [7, 30, 90] as const
const EXPORTS = ['payments', 'policies', 'subscribers', 'revenue'] as const

export function RevenuePage() {
  const [days, setDays] = useState<number>(30)
  const query = useGatewayQuery(['revenue', days], ({ api, gateway }) =>
    ask(
      api.GET('/v1/gateway/{gateway}/merchant/revenue', {
        params: {
          path: { gateway },
          query: { startTime: new Date(Date.now() - days * DAY_MS).toISOString() },
        },
      }),
    ),
  )
  return (
    <>
      <div className="row">
        <h1>Revenue</h1>
        <label className="inline">
          Span
          <select value={days} onChange={event => setDays(Number(event.target.value))}>
            {SPANS.map(span => (
              <option key={span} value={span}>
                {span} days
              </option>
            ))}
          </select>
        </label>
      </div>
      <Loaded query={query}>
        {revenue => (
          <>
            <RevenueFigures revenue={revenue} />
            {revenue.byToken.map(token => (
              <TokenRevenue key={token.tokenMint ?? 'unknown'} token={token} />
            ))}
            {revenue.byToken.length === 0 && <p className="quiet">No payment in this span.</p>}
          </>
        )}
      </Loaded>
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

function RevenueFigures({ revenue: { subscriptions, churn } }: { revenue: Schemas['Revenue'] }) {
  return (
    <Figures
      figures={[
        ['active subscriptions', String(subscriptions.active)],
        ['overdue', String(subscriptions.overdue)],
        ['paused', String(subscriptions.paused)],
        ['completed', String(subscriptions.completed)],
        [
          'churn',
          churn.rate === null ? 'none yet' : `${String(churn.churned)} of ${String(churn.activeAtStart)}`,
        ],
      ]}
    />
  )
}

function TokenRevenue({ token }: { token: Schemas['TokenRevenue'] }) {
  const known = useTokens().get(token.tokenMint ?? '')
  const decimals = known?.decimals ?? (token.decimals === null ? null : Number(token.decimals))
  const symbol = known?.symbol ?? ''
  return (
    <article>
      <h2>
        {symbol || 'Token'} <Key value={token.tokenMint} />
      </h2>
      <p>
        Volume <Amount raw={token.recognizedRevenue} mint={token.tokenMint} /> in {String(token.paymentCount)}{' '}
        payments. Monthly recurring <Amount raw={token.mrr} mint={token.tokenMint} /> of{' '}
        {String(token.activeSubscriptionCount)} active subscriptions.
      </p>
      <BarChart
        title="Volume by day (UTC)"
        bars={token.series.map(({ ts, recognized }) => ({ label: ts, amount: recognized }))}
        {...{ decimals, symbol }}
      />
      <details>
        <summary>The numbers</summary>
        <Table title="Revenue by day" head={['day', 'volume', 'monthly recurring']}>
          {token.series.map(({ ts, recognized, mrr }) => (
            <tr key={ts}>
              <td>{ts}</td>
              <td className="number">
                <Amount raw={recognized} mint={token.tokenMint} />
              </td>
              <td className="number">
                <Amount raw={mrr} mint={token.tokenMint} />
              </td>
            </tr>
          ))}
        </Table>
      </details>
    </article>
  )
}

function Downloads() {
  const order = useGatewayOrder(async ({ api, gateway }, kind: (typeof EXPORTS)[number]) => {
    const text = await ask(
      api.GET('/v1/gateway/{gateway}/merchant/export/{kind}', {
        params: { path: { gateway, kind }, query: {} },
        parseAs: 'text',
      }),
    )
    download(`${kind}-${gateway}.csv`, text)
  })
  return (
    <section aria-labelledby="downloads">
      <h2 id="downloads">As CSV</h2>
      <div className="row">
        {EXPORTS.map(kind => (
          <button
            key={kind}
            type="button"
            className="outline small"
            disabled={order.isPending}
            onClick={() => order.mutate(kind)}
          >
            {kind}
          </button>
        ))}
      </div>
      <Failure error={order.error} />
    </section>
  )
}
