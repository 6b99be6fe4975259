import type { ChainEvent } from '@payment-tracking/domain'

/** A checked message with its sequence in the stream. */
export interface ReceivedEvent {
  event: ChainEvent
  streamSequence: number
}

/** An event that is not stored yet. */
export interface NewEvent extends ReceivedEvent {
  /** its transaction was retracted before its arrival: the event is stored, and counts nowhere */
  retracted: boolean
}

/** A checked message that still has its bytes, in case another message contradicts it. */
export interface ReceivedMessage extends ReceivedEvent {
  subject: string
  bytes: Uint8Array
}
