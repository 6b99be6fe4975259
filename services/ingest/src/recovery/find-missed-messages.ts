import type { StreamPosition } from '@payment-tracking/bus'
import type { MissedMessages } from '@payment-tracking/store'

/**
 * The messages that the stream discarded (`max_msgs`, `max_age`, `max_bytes`) before anybody read them, as far as two
 * looks at the stream can tell.
 * @param before an earlier look; without it only what is not acknowledged yet is compared
 */
export function findMissedMessages(now: StreamPosition, before?: StreamPosition): MissedMessages | null {
  // Sequences of other subjects are not ours to read: that one is missing says nothing.
  if (now.holdsOtherSubjects) return null
  // Everything in flight will be acknowledged; what lies before the stream's first message never can be.
  if (now.inFlight === 0 && now.firstSequence > now.acknowledgedSequence + 1) {
    return { fromSequence: now.acknowledgedSequence + 1, toSequence: now.firstSequence - 1 }
  }
  if (!before || before.stream.createdAt.getTime() !== now.stream.createdAt.getTime()) return null
  // The consumer went on behind discarded messages: it passed more sequences than it made deliveries.
  const passed = now.deliveredSequence - before.deliveredSequence
  const delivered = now.deliveries - before.deliveries
  if (delivered < 0 || passed <= delivered || now.firstSequence <= before.deliveredSequence + 1) return null
  return {
    fromSequence: before.deliveredSequence + 1,
    toSequence: Math.min(now.firstSequence - 1, now.deliveredSequence),
  }
}
