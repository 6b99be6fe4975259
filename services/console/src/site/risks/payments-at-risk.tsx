// Due payments that will fail, each with its cause and cure.
import type { Schemas } from '@payment-tracking/client'
import { useId } from 'react'
import { Link } from 'wouter'
import { ask } from '../api/request.js'
import { useTokens } from '../api/tokens.js'
import { useGatewayQuery } from '../session/use-gateway.js'
import { Amount, amountWidths } from '../show/amount.js'
import { Loaded } from '../show/states.js'
import { Table, type Column } from '../show/table.js'
import { Memo, shorten, Time } from '../show/values.js'
import { RiskCause } from './risk-note.js'

type Due = Schemas['UpcomingPayment']

const DAY_MS = 86_400_000
const REFRESH_MS = 30_000
/** What is overdue may still be paid once its cause is cured. */
const DAYS_BACK = 90
const DAYS_AHEAD = 7
const inDays = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString()

const COLUMNS: readonly Column<Due>[] = [
  { head: 'due', phone: 'side', cell: ({ dueAt }) => <Time at={dueAt} /> },
  {
    head: 'policy',
    cell: ({ policyAddress }) => (
      <Link className="row-link" href={`/subscriptions/${policyAddress}`}>
        <code>{shorten(policyAddress)}</code>
      </Link>
    ),
  },
  { head: 'tracking ID', kind: 'text', cell: ({ trackingId }) => <Memo value={trackingId} /> },
  {
    head: 'amount',
    kind: 'number',
    phone: 'lead',
    cell: ({ amount, tokenMint }) => <Amount raw={amount} mint={tokenMint} />,
  },
  {
    head: 'why it will fail',
    kind: 'text',
    cell: ({ dueRisk, wallet, recipient, amount, tokenMint, dueAt }) => (
      <RiskCause
        risk={dueRisk}
        wallet={wallet}
        recipient={recipient}
        amount={amount}
        mint={tokenMint}
        dueAt={dueAt}
      />
    ),
  },
]

/** @param limit rows that are shown */
export function PaymentsAtRisk({ title, limit }: { title: string; limit: number }) {
  const heading = useId()
  const query = useGatewayQuery(
    ['at risk', limit],
    ({ api, gateway }) =>
      ask(
        api.GET('/v1/gateway/{gateway}/merchant/upcoming', {
          params: {
            path: { gateway },
            query: { startTime: inDays(-DAYS_BACK), endTime: inDays(DAYS_AHEAD), atRisk: true, limit },
          },
        }),
      ),
    REFRESH_MS,
  )
  return (
    <section aria-labelledby={heading}>
      <h2 id={heading}>{title}</h2>
      <Loaded query={query}>
        {({ items, byToken }) =>
          items.length === 0 ? (
            <p className="quiet">No payment of this week is known to be at risk.</p>
          ) : (
            <>
              {byToken
                .filter(({ atRiskCount }) => Number(atRiskCount) > 0)
                .map(({ tokenMint, atRiskCount, atRiskAmount }) => (
                  <p key={tokenMint ?? 'unknown'}>
                    <Amount raw={atRiskAmount} mint={tokenMint} />{' '}
                    <span className="quiet">
                      in {Number(atRiskCount).toLocaleString('en-US')}{' '}
                      {Number(atRiskCount) === 1 ? 'payment' : 'payments'}
                    </span>
                  </p>
                ))}
              <RiskTable title={title} items={items} />
            </>
          )
        }
      </Loaded>
    </section>
  )
}

function RiskTable({ title, items }: { title: string; items: readonly Due[] }) {
  const widths = amountWidths(
    items.map(({ amount, tokenMint }) => ({ raw: amount, mint: tokenMint })),
    useTokens(),
  )
  return (
    <Table
      title={title}
      widths={widths}
      rows={items}
      columns={COLUMNS}
      keyOf={({ policyAddress, dueAt }) => `${policyAddress}/${String(dueAt)}`}
    />
  )
}
