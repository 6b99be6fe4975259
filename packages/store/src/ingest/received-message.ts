import type { ReceivedEvent } from './events.js'

/** A checked message that still has its bytes, in case another message contradicts it. */
export interface ReceivedMessage extends ReceivedEvent {
  subject: string
  bytes: Uint8Array
}
