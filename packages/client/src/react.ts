// React hooks for a page that waits for a payment.
import { useEffect, useState } from 'react'
import type {
  SocketErrorCode,
  SocketExpectation,
  SocketPayment,
} from '@payment-tracking/contracts/socket-messages'
import { watchExpectation } from './expectations.js'
import { watchPayments } from './watch-payments.js'

export interface UsePaymentsOptions {
  trackingId: string
  /** only payments to this public key */
  recipient?: string
  /** the last known `seq`; by default 0, all payments of the tracking ID */
  since?: number
}

export interface PaymentsState {
  /** ordered by `seq`; a payment that the chain takes back disappears */
  payments: readonly SocketPayment[]
  /** subscribed, and everything that was paid before is in `payments` */
  isReady: boolean
  /** why the service refused; the hook tries again by itself unless `isFinal` */
  refusal: { code: SocketErrorCode; message: string; isFinal: boolean } | null
}

const EMPTY: PaymentsState = { payments: [], isReady: false, refusal: null }

/**
 * The payments of a tracking ID, as they happen.
 * Anyone can write any memo: what is shown here is no proof. Your server decides with `GET /v1/payments/check`.
 * @param baseUrl the service's root, such as `https://pay.example`
 */
export function usePayments(baseUrl: string, options: UsePaymentsOptions): PaymentsState {
  const { trackingId, recipient, since = 0 } = options
  const [state, setState] = useState(EMPTY)
  useEffect(() => {
    setState(EMPTY)
    const watch = watchPayments(baseUrl, {
      trackingId,
      since,
      ...(recipient === undefined ? {} : { recipient }),
      onPayment: payment =>
        setState(({ payments, ...rest }) => ({
          ...rest,
          payments: [...payments, payment].sort((a, b) => a.seq - b.seq),
        })),
      onRetraction: ({ eventId }) =>
        setState(({ payments, ...rest }) => ({
          ...rest,
          payments: payments.filter(payment => payment.eventId !== eventId),
        })),
      onReady: () => setState(current => ({ ...current, isReady: true, refusal: null })),
      onLost: () => setState(current => ({ ...current, isReady: false })),
      onRefused: refusal => setState(current => ({ ...current, isReady: false, refusal })),
      onReset: () => setState(EMPTY),
    })
    return () => watch.close()
  }, [baseUrl, trackingId, recipient, since])
  return state
}

export interface ExpectationState {
  /** null until the service has answered */
  expectation: SocketExpectation | null
  /** there is no such expectation */
  isMissing: boolean
}

/**
 * What becomes of an expected payment, as its state changes. The service has compared recipient, token and sum.
 * @param baseUrl the service's root, such as `https://pay.example`
 * @param id of the expectation, as `expectPayment` gave it to your server
 */
export function useExpectation(baseUrl: string, id: string): ExpectationState {
  const [state, setState] = useState<ExpectationState>(UNKNOWN)
  useEffect(() => {
    setState(UNKNOWN)
    const watch = watchExpectation(baseUrl, {
      id,
      onChange: expectation => setState({ expectation, isMissing: false }),
      onMissing: () => setState({ expectation: null, isMissing: true }),
    })
    return () => watch.close()
  }, [baseUrl, id])
  return state
}

const UNKNOWN: ExpectationState = { expectation: null, isMissing: false }

export interface ExpectedPayment {
  trackingId: string
  recipient: string
  tokenMint: string
  /** the least that one payment must have paid, in the token's smallest unit */
  amount: string | bigint
}

export interface PaymentState extends Omit<PaymentsState, 'payments'> {
  /** the first payment that is as expected; null until somebody pays */
  payment: SocketPayment | null
  /** payments of the tracking ID that are not as expected */
  others: readonly SocketPayment[]
}

/** Waits for one payment with this recipient, token and at least this amount. A display, no proof, as above. */
export function usePayment(baseUrl: string, expected: ExpectedPayment): PaymentState {
  const { trackingId, recipient, tokenMint, amount } = expected
  const { payments, ...rest } = usePayments(baseUrl, { trackingId })
  const isExpected = (payment: SocketPayment) =>
    payment.recipient === recipient &&
    payment.tokenMint === tokenMint &&
    BigInt(payment.amountString) >= BigInt(amount)
  return {
    ...rest,
    payment: payments.find(isExpected) ?? null,
    others: payments.filter(payment => !isExpected(payment)),
  }
}
