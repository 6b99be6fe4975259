import type { Schemas } from '@payment-tracking/client'
import { Link } from 'wouter'
import { useTokens } from '../api/tokens.js'
import { Amount, amountWidths } from '../show/amount.js'
import { Table, type Column } from '../show/table.js'
import { shorten, Time, Written } from '../show/values.js'
import { CustomerDue, DueCause } from './customer-due.js'
import { CustomerStateBadge } from './customer-state.js'

type Customer = Schemas['Subscriber']

const COLUMNS: readonly Column<Customer>[] = [
  {
    head: 'customer',
    kind: 'text',
    cell: ({ wallet, name }) => (
      <Link className="row-link" href={`/customers/${wallet}`}>
        {name === null ? <code>{shorten(wallet)}</code> : <Written value={name} />}
      </Link>
    ),
  },
  {
    head: 'state',
    phone: 'side',
    cell: ({ state, oneTime }) => <CustomerStateBadge value={state} oneTime={oneTime} />,
  },
  {
    head: 'paid',
    kind: 'number',
    phone: 'lead',
    cell: ({ totalPaid, tokenMint, byToken }) => (
      <>
        <Amount raw={byToken.length === 0 ? null : totalPaid} mint={tokenMint} />
        {byToken.length > 1 && <small className="quiet"> and {byToken.length - 1} more</small>}
      </>
    ),
  },
  { head: 'due', kind: 'number', tablet: 'away', cell: ({ due }) => <CustomerDue due={due} /> },
  {
    head: 'why',
    kind: 'text',
    phone: 'below',
    cell: ({ due, wallet }) => <DueCause due={due} wallet={wallet} />,
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
