import { Link } from 'wouter'
import { Amount, Badge, Finality, Key, shorten, Time } from '../show/values.js'
import { Table } from '../show/states.js'
import type { Payment } from './use-live-payments.js'

const HEAD = ['time', 'tracking ID', 'amount', 'recipient', 'payer', 'standing', 'transaction']

export function PaymentTable({
  title,
  payments,
  empty,
}: {
  title: string
  payments: readonly Payment[]
  empty: string
}) {
  if (payments.length === 0) return <p className="quiet">{empty}</p>
  return (
    <Table title={title} head={HEAD}>
      {payments.map(payment => (
        <tr key={payment.id}>
          <td>
            <Time at={payment.timestamp} />
          </td>
          <td className="text">{payment.trackingId ?? <span className="quiet">none</span>}</td>
          <td className="number">
            <Amount raw={payment.amountString ?? null} mint={payment.tokenMint ?? null} />
          </td>
          <td>
            <Key value={payment.recipient} />
          </td>
          <td>
            <Key value={payment.payer} />
          </td>
          <td>
            {payment.retracted ? <Badge tone="bad">retracted</Badge> : <Finality value={payment.finality} />}
          </td>
          <td>
            <Link href={`/payments/${payment.signature}`}>
              <code>{shorten(payment.signature)}</code>
            </Link>
          </td>
        </tr>
      ))}
    </Table>
  )
}
