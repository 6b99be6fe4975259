// A message as the plan holds it, and as bytes: what is published, and what must become of it.
import type { ChainMessage } from '@payment-tracking/testkit'

/** What the indexer says of the chain itself. */
export type PlannedControl =
  | { kind: 'finalized'; slot: number }
  | { kind: 'retracted'; signature: string; slot: number }

export interface PlannedMessage {
  /** What goes over the wire. */
  bytes: string
  /** Of a control message; null for events and rubbish. */
  control: PlannedControl | null
  /** The message says that its transaction is final. */
  finalized: boolean
  /** What it says; null for rubbish. */
  message: (Omit<ChainMessage, 'index'> & { index?: number }) | null
  /** The code by which rubbish must be refused; null for what is an event. */
  refusal: string | null
}

/** @param finalized whether the message says that its transaction is final */
export const writeMessage = (
  message: PlannedMessage['message'] & object,
  finalized = false,
): PlannedMessage => ({
  bytes: JSON.stringify({ ...message, ...(finalized && { commitment: 'finalized' }) }),
  control: null,
  finalized,
  message,
  refusal: null,
})

export function writeControl(control: PlannedControl): PlannedMessage {
  const { kind: _kind, ...body } = control
  return {
    bytes: JSON.stringify(body),
    control,
    finalized: false,
    message: null,
    refusal: null,
  }
}
