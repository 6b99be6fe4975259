// A page that waits for one payment. `npm run client` of payment-tracking makes the tarball of the client. In a copy of this folder:
//   npm install path/to/payment-tracking-client-0.1.0.tgz && npm run dev
import { usePayment, usePayments } from '@payment-tracking/client/react'
import { createRoot } from 'react-dom/client'

const query = new URLSearchParams(location.search)
const baseUrl = query.get('baseUrl') ?? 'http://127.0.0.1:3002'
const trackingId = query.get('trackingId') ?? 'order-42'
const order = {
  trackingId,
  recipient: query.get('recipient') ?? '',
  tokenMint: query.get('tokenMint') ?? '',
  amount: query.get('amount') ?? '0',
}

function Order() {
  const { payment, others, isReady, refusal } = usePayment(baseUrl, order)
  if (refusal) return <p role="alert">{refusal.message}</p>
  // A display, no proof: your server asks GET /v1/payments/check before you ship.
  if (payment) return <p role="status">paid: {payment.amountString}</p>
  return (
    <p role="status">
      {isReady ? 'waiting for a payment …' : 'connecting …'} {others.length} other payments
    </p>
  )
}

function Payments() {
  const { payments } = usePayments(baseUrl, { trackingId })
  return (
    <ol>
      {payments.map(({ seq, amountString }) => (
        <li key={seq}>{amountString}</li>
      ))}
    </ol>
  )
}

createRoot(document.getElementById('root')!).render(
  <>
    <h1>Order {trackingId}</h1>
    <Order />
    <Payments />
  </>,
)
