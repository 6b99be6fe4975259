import type { Schemas } from '@payment-tracking/client'
import { useId } from 'react'
import { Link } from 'wouter'
import { ask } from '../api/request.js'
import { useGatewayQuery } from '../session/use-gateway.js'
import { useTokens } from '../api/tokens.js'
import { Amount, amountWidths } from '../show/amount.js'
import { Loaded } from '../show/states.js'
import { Table, type Column } from '../show/table.js'
import { Key, Memo, shorten, Time } from '../show/values.js'

type Due = Schemas['UpcomingPayment']

const DAY_MS = 86_400_000
const inDays = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString()

/** The payments of a span of time that the gateway's active policies owe, counted in days from now. */
export function DuePayments({
  title,
  empty,
  fromDays,
  toDays,
}: {
  title: string
  empty: string
  fromDays: number
  toDays: number
}) {
  const heading = useId()
  const query = useGatewayQuery(['due', fromDays, toDays], ({ api, gateway }) =>
    ask(
      api.GET('/v1/gateway/{gateway}/merchant/upcoming', {
        params: {
          path: { gateway },
          query: { startTime: inDays(fromDays), endTime: inDays(toDays), limit: 20 },
        },
      }),
    ),
  )
  return (
    <section aria-labelledby={heading}>
      <h2 id={heading}>{title}</h2>
      <Loaded query={query}>
        {({ items, byToken, total }) => (
          <>
            {byToken.map(({ tokenMint, count, totalAmount }) => (
              <p key={tokenMint ?? 'unknown'}>
                <Amount raw={totalAmount} mint={tokenMint} />{' '}
                <span className="quiet">
                  in {Number(count).toLocaleString('en-US')} {Number(count) === 1 ? 'payment' : 'payments'}
                </span>
              </p>
            ))}
            {items.length === 0 ? (
              <p className="quiet">{empty}</p>
            ) : (
              <DueTable title={`${title}: the first ${items.length} of ${String(total)}`} items={items} />
            )}
          </>
        )}
      </Loaded>
    </section>
  )
}

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
  { head: 'payer', phone: 'away', cell: ({ wallet }) => <Key value={wallet} /> },
]

function DueTable({ title, items }: { title: string; items: readonly Due[] }) {
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
