import type { StreamPosition } from '@payment-tracking/bus'
import type { MissedMessages } from '@payment-tracking/store/core'

/**
 * The messages that the stream discarded (`max_msgs`, `max_age`, `max_bytes`) or lost before ingest read them, as far as
 * two checks of the stream can show.
 * @param before an earlier check; without an earlier check only unacknowledged messages are compared
 */
export function findMissedMessages(now: StreamPosition, before?: StreamPosition): MissedMessages | null {
  // Sequences of other subjects do not belong to ingest: a missing sequence proves nothing.
  if (now.holdsOtherSubjects) return null
  // All messages in flight will be acknowledged. Messages before the stream's first message never can be.
  if (now.inFlight === 0 && now.firstSequence > now.acknowledgedSequence + 1) {
    return { fromSequence: now.acknowledgedSequence + 1, toSequence: now.firstSequence - 1 }
  }
  if (!before || before.stream.createdAt.getTime() !== now.stream.createdAt.getTime()) return null
  // The consumer skipped discarded messages: it passed more sequences than it made deliveries.
  const passed = now.deliveredSequence - before.deliveredSequence
  const delivered = now.deliveries - before.deliveries
  if (hasLostTail(now, before))
    return { fromSequence: now.deliveredSequence + 1, toSequence: now.lastSequence }
  if (delivered < 0 || passed <= delivered) return null
  if (now.firstSequence <= before.deliveredSequence + 1) {
    // Nothing was discarded at the beginning, and nobody deleted single messages: the server lost what it acknowledged.
    if (now.deletedMessages > 0 || now.consumerCreatedAt.getTime() !== before.consumerCreatedAt.getTime())
      return null
    return { fromSequence: before.deliveredSequence + 1, toSequence: now.deliveredSequence }
  }
  return {
    fromSequence: before.deliveredSequence + 1,
    toSequence: Math.min(now.firstSequence - 1, now.deliveredSequence),
  }
}

/** Whether two checks found that the server has none of the messages that it counts after the last delivered one. */
export const hasLostTail = (now: StreamPosition, before: StreamPosition | undefined): boolean =>
  now.hasLostTail &&
  before !== undefined &&
  before.hasLostTail &&
  before.stream.createdAt.getTime() === now.stream.createdAt.getTime() &&
  before.deliveredSequence === now.deliveredSequence
