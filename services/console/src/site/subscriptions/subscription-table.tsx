import { Link } from 'wouter'
import { useTokens } from '../api/tokens.js'
import { Amount, amountWidths } from '../show/amount.js'
import { Table, type Column } from '../show/table.js'
import { Memo, shorten, Time } from '../show/values.js'
import { DueState, Status } from './policy-state.js'

/** A line of the list, whichever route it is from. */
export interface PolicyLine {
  address: string
  trackingId: string | null
  /** the frequency of a subscription; the name of any other type */
  type: string
  amount: string | null
  tokenMint: string | null
  status: string
  /** null where the route lacks it */
  dueState: string | null
  /** Unix seconds */
  nextDue: number | null
  paymentCount: number | bigint
}

const COLUMNS: readonly Column<PolicyLine>[] = [
  {
    head: 'policy',
    cell: ({ address }) => (
      <Link className="row-link" href={`/subscriptions/${address}`}>
        <code>{shorten(address)}</code>
      </Link>
    ),
  },
  { head: 'tracking ID', kind: 'text', cell: ({ trackingId }) => <Memo value={trackingId} /> },
  { head: 'type', cell: ({ type }) => type },
  {
    head: 'amount',
    kind: 'number',
    phone: 'lead',
    cell: ({ amount, tokenMint }) => <Amount raw={amount} mint={tokenMint} />,
  },
  { head: 'state', phone: 'side', cell: ({ status }) => <Status value={status} /> },
  {
    head: 'next due',
    // Only an active policy is paid again.
    cell: ({ status, dueState, nextDue }) => (
      <>
        {dueState !== null && <DueState value={dueState} />}{' '}
        {nextDue !== null && status.toLowerCase() === 'active' && <Time at={nextDue} />}
      </>
    ),
  },
  { head: 'payments', kind: 'number', cell: ({ paymentCount }) => String(paymentCount) },
]

export function SubscriptionTable({ title, lines }: { title: string; lines: readonly PolicyLine[] }) {
  const widths = amountWidths(
    lines.map(({ amount, tokenMint }) => ({ raw: amount, mint: tokenMint })),
    useTokens(),
  )
  return (
    <Table title={title} rows={lines} columns={COLUMNS} keyOf={({ address }) => address} widths={widths} />
  )
}
