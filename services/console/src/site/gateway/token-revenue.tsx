import type { Schemas } from '@payment-tracking/client'
import { useMemo } from 'react'
import type { ChartData } from '../charts/chart-series.js'
import { dayStart, nameDay } from '../charts/name-time.js'
import { TimeChart } from '../charts/time-chart.js'
import { withGaps } from '../charts/with-gaps.js'
import { drawnAmount, formatAmount } from '../show/format-amount.js'
import { Before } from '../show/before.js'
import { Amount, Key } from '../show/values.js'
import { payments } from './due.js'
import { MovementChart } from './movement-chart.js'
import { useShownToken, type ShownToken } from './shown-token.js'
import type { RevenueBefore } from './use-revenue-before.js'

type Revenue = Schemas['TokenRevenue']

/** A chart of one amount by day. */
export function amountsByDay(
  days: readonly string[],
  amounts: readonly string[],
  label: string,
  { symbol, decimals }: ShownToken,
  look: Pick<ChartData['series'][number], 'tone' | 'kind'>,
): ChartData {
  return {
    times: days.map(dayStart),
    nameOf: nameDay,
    isByDay: true,
    series: [
      {
        label,
        ...look,
        values: amounts.map(amount => drawnAmount(amount, decimals)),
        show: index => `${formatAmount(amounts[index] ?? '0', decimals)} ${symbol}`,
      },
    ],
  }
}

/** Volume and monthly recurring revenue of one token, beside each other, each on an axis of its own. */
export function TokenRevenue({
  token,
  per,
  knownSince,
  span,
  volumeBefore,
  isStartKnown,
}: {
  token: Revenue
  per: 'day' | 'week'
  knownSince: string | null
  /** its name, such as `30 days` */
  span: string
  /** null where the span before is not known; undefined while it is read */
  volumeBefore: ReturnType<RevenueBefore['volumeOf']> | null | undefined
  /** whether what was at the start of the span is known */
  isStartKnown: boolean
}) {
  const shown = useShownToken(token.tokenMint, token.decimals)
  const { symbol, decimals } = shown
  const [volume, recurring] = useMemo(() => {
    const days = token.series.map(({ ts }) => ts)
    const of = (pick: (point: Revenue['series'][number]) => string) => token.series.map(pick)
    const look = { symbol, decimals }
    const both = [
      amountsByDay(
        days,
        of(({ recognized }) => recognized),
        'volume',
        look,
        { tone: '1', kind: 'bars' },
      ),
      amountsByDay(
        days,
        of(({ mrr }) => mrr),
        'monthly recurring',
        look,
        { tone: '2', kind: 'line' },
      ),
    ] as const
    return [withGaps(both[0], knownSince), withGaps(both[1], knownSince)] as const
  }, [token.series, symbol, decimals, knownSince])
  const unit = symbol || 'tokens'
  return (
    <article className="panel">
      <div className="row">
        <h2>{symbol === 'raw' || symbol === '' ? 'Token' : symbol}</h2>
        <Key value={token.tokenMint} />
      </div>
      <p>
        Volume <Amount raw={token.recognizedRevenue} mint={token.tokenMint} /> in{' '}
        {payments(Number(token.paymentCount))}{' '}
        <Before
          of={span}
          value={
            volumeBefore && (
              <>
                <Amount raw={volumeBefore.amount} mint={token.tokenMint} /> in {volumeBefore.payments}
              </>
            )
          }
        />
        . Monthly recurring <Amount raw={token.mrr} mint={token.tokenMint} /> from{' '}
        {String(Number(token.activeSubscriptionCount) - Number(token.neverPaid.subscriptionCount))} of{' '}
        {String(token.activeSubscriptionCount)} active subscriptions{' '}
        <Before
          of={span}
          value={isStartKnown ? <Amount raw={token.mrrAtStart} mint={token.tokenMint} /> : null}
        />
        {Number(token.neverPaid.subscriptionCount) > 0 &&
          `; nobody has paid the other ${String(token.neverPaid.subscriptionCount)} yet`}
        .
      </p>
      <div className="halves">
        <TimeChart
          title="Volume"
          unit={`${unit} a ${per}, UTC`}
          data={volume}
          nothing="No payment in this span"
          words={['volume']}
        />
        <TimeChart
          title="Monthly recurring revenue"
          unit={`${unit} a month, at the end of each ${per}`}
          data={recurring}
          nothing="No active subscription in this span"
          words={['monthly recurring']}
        />
      </div>
      <MovementChart points={token.series} per={per} unit={unit} knownSince={knownSince} token={shown} />
    </article>
  )
}
