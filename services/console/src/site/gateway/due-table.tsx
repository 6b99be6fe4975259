// Payments that are due, as rows.
import type { Schemas } from '@payment-tracking/client'
import { Link } from 'wouter'
import { useTokens } from '../api/tokens.js'
import { Amount, amountWidths } from '../show/amount.js'
import { Table, type Column } from '../show/table.js'
import { Memo, shorten, Time } from '../show/values.js'

export type Due = Schemas['UpcomingPayment']

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
]

/** @param last the column that tells what this table is about */
export function DueTable({
  title,
  items,
  last,
}: {
  title: string
  items: readonly Due[]
  last: Column<Due>
}) {
  const widths = amountWidths(
    items.map(({ amount, tokenMint }) => ({ raw: amount, mint: tokenMint })),
    useTokens(),
  )
  return (
    <Table
      title={title}
      widths={widths}
      rows={items}
      columns={[...COLUMNS, last]}
      keyOf={({ policyAddress, dueAt }) => `${policyAddress}/${String(dueAt)}`}
    />
  )
}
