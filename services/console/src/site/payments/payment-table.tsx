import { Link } from 'wouter'
import { useTokens } from '../api/tokens.js'
import { Wallet } from '../customers/wallet.js'
import { Amount, amountWidths } from '../show/amount.js'
import { Table, type Column } from '../show/table.js'
import { DateTime } from '../show/time.js'
import { Badge, Finality, Key, Memo, shorten, Time } from '../show/values.js'
import type { Payment } from './use-live-payments.js'

/** Of a transfer without a policy. */
const NO_POLICY = '11111111111111111111111111111111'

/** The policy that paid; null for a transfer. */
export function policyOf({ data }: Payment): string | null {
  const { payment_policy: regular, composable_policy: composable } = data as Record<string, unknown>
  const policy = regular ?? composable
  return typeof policy === 'string' && policy !== NO_POLICY ? policy : null
}

const COLUMNS: readonly Column<Payment>[] = [
  { head: 'time', cell: ({ timestamp }) => <Time at={timestamp} /> },
  {
    head: 'tracking ID',
    kind: 'text',
    cell: payment => {
      const policy = policyOf(payment)
      return policy === null ? (
        <Memo value={payment.trackingId} />
      ) : (
        <Link href={`/subscriptions/${policy}`}>
          <Memo value={payment.trackingId} />
        </Link>
      )
    },
  },
  {
    head: 'amount',
    kind: 'number',
    phone: 'lead',
    cell: ({ amountString, tokenMint }) => <Amount raw={amountString ?? null} mint={tokenMint ?? null} />,
  },
  {
    head: 'status',
    phone: 'side',
    cell: ({ retracted, finality }) =>
      retracted ? <Badge tone="bad">retracted</Badge> : <Finality value={finality} />,
  },
  { head: 'recipient', phone: 'away', cell: ({ recipient }) => <Key value={recipient} /> },
  {
    head: 'payer',
    phone: 'away',
    cell: ({ payer, data }) => <Wallet value={payer} gateway={data.gateway} />,
  },
  {
    head: 'transaction',
    cell: ({ signature }) => (
      <Link className="row-link" href={`/payments/${signature}`}>
        <code>{shorten(signature)}</code>
      </Link>
    ),
  },
]

const EXACT: readonly Column<Payment>[] = COLUMNS.map(column =>
  column.head === 'time' ? { ...column, cell: ({ timestamp }) => <DateTime at={timestamp} /> } : column,
)

/** @param isExact shows dates instead of how long ago, as beside a filter by dates */
export function PaymentTable({
  title,
  payments,
  isExact = false,
}: {
  title: string
  payments: readonly Payment[]
  isExact?: boolean
}) {
  const widths = amountWidths(
    payments.map(({ amountString, tokenMint }) => ({ raw: amountString ?? null, mint: tokenMint ?? null })),
    useTokens(),
  )
  return (
    <Table
      title={title}
      rows={payments}
      columns={isExact ? EXACT : COLUMNS}
      keyOf={({ id }) => id}
      widths={widths}
    />
  )
}
