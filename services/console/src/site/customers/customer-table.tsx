import type { Schemas } from '@payment-tracking/client'
import { Link } from 'wouter'
import { useTokens } from '../api/tokens.js'
import { Amount, amountWidths } from '../show/amount.js'
import { Table, type Column } from '../show/table.js'
import { shorten, Time } from '../show/values.js'
import { CustomerStateBadge } from './customer-state.js'

type Customer = Schemas['Subscriber']

const COLUMNS: readonly Column<Customer>[] = [
  {
    head: 'wallet',
    cell: ({ wallet }) => (
      <Link className="row-link" href={`/customers/${wallet}`}>
        <code>{shorten(wallet)}</code>
      </Link>
    ),
  },
  { head: 'state', phone: 'side', cell: ({ state }) => <CustomerStateBadge value={state} /> },
  {
    head: 'paid',
    kind: 'number',
    phone: 'lead',
    cell: ({ totalPaid, tokenMint, byToken }) => (
      <Amount raw={byToken.length === 0 ? null : totalPaid} mint={tokenMint} />
    ),
  },
  {
    head: 'other tokens',
    kind: 'number',
    phone: 'away',
    cell: ({ byToken }) => (byToken.length > 1 ? String(byToken.length - 1) : ''),
  },
  {
    head: 'last payment',
    cell: ({ lastActiveAt }) =>
      lastActiveAt === null ? <span className="quiet">none</span> : <Time at={lastActiveAt} />,
  },
  { head: 'policies', kind: 'number', cell: ({ policyCount }) => String(policyCount) },
]

export function CustomerTable({ customers }: { customers: readonly Customer[] }) {
  const widths = amountWidths(
    customers.map(({ totalPaid, tokenMint }) => ({ raw: totalPaid, mint: tokenMint })),
    useTokens(),
  )
  return (
    <Table
      title="Customers"
      rows={customers}
      columns={COLUMNS}
      keyOf={({ wallet }) => wallet}
      widths={widths}
    />
  )
}
