import { randomUUID } from 'node:crypto'
import type { CommittedPayment } from '@payment-tracking/contracts'

/** Of no event that a test stores. */
let position = 1_000_000_000

/** A payment as ingest hands it on after its commit, the first of `order-1`, without details that came later. */
export const makeCommittedPayment = (
  gateway: string,
  over: Partial<CommittedPayment> = {},
): CommittedPayment => ({
  eventId: randomUUID(),
  position: String((position += 1)),
  trackingId: 'order-1',
  seq: 1,
  signature: 'signature',
  slot: 1,
  occurredAt: '2026-11-20T10:00:00.000Z',
  paidAt: '1763632800',
  paymentPolicy: 'policy',
  gateway,
  amount: '18446744073709551615',
  recordId: 1,
  recipient: null,
  payer: null,
  tokenMint: null,
  ...over,
})
