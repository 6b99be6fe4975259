import { useState } from 'react'
import { PaymentTable } from './payment-table.js'
import type { Payment } from './use-live-payments.js'

/**
 * The newest payments, each new one on top. While somebody aims at a row, by mouse or keyboard, the rows stay where they
 * are and change only in what is known of them; the new ones are counted, and show when asked or left alone.
 */
export function LivePaymentTable({ title, payments }: { title: string; payments: readonly Payment[] }) {
  const [held, setHeld] = useState<readonly Payment[] | null>(null)
  const hold = () => setHeld(known => known ?? payments)
  const release = () => setHeld(null)
  const ids = held && new Set(held.map(({ id }) => id))
  const waiting = ids ? payments.filter(({ id }) => !ids.has(id)).length : 0
  const now = new Map(payments.map(payment => [payment.id, payment]))
  return (
    <div
      className="live-table"
      // A finger has no place before it touches, and a click of the mouse is no wish to stay.
      onPointerEnter={({ pointerType }) => pointerType === 'mouse' && hold()}
      onPointerLeave={release}
      onFocus={({ target }) => target.matches(':focus-visible') && hold()}
      onBlur={({ currentTarget, relatedTarget }) => currentTarget.contains(relatedTarget) || release()}
    >
      {waiting > 0 && (
        <button type="button" className="waiting" onClick={release}>
          Show {waiting} new
        </button>
      )}
      <PaymentTable
        title={title}
        payments={held?.map(payment => now.get(payment.id) ?? payment) ?? payments}
      />
    </div>
  )
}
