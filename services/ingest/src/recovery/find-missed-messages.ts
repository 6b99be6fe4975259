import type { StreamPosition } from '@payment-tracking/bus'
import type { MissedMessages } from '@payment-tracking/store'

/**
 * The messages that the stream discarded (`max_msgs`, `max_age`, `max_bytes`) before ingest read them, as far as two
 * looks at the stream can show.
 * @param before an earlier look; without an earlier look only unacknowledged messages are compared
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
  if (delivered < 0 || passed <= delivered || now.firstSequence <= before.deliveredSequence + 1) return null
  return {
    fromSequence: before.deliveredSequence + 1,
    toSequence: Math.min(now.firstSequence - 1, now.deliveredSequence),
  }
}
