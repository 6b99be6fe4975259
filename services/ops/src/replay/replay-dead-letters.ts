import type { Bus } from '@payment-tracking/bus'
import { markReplayed, readDeadLetters, type DeadLetterBytes } from '@payment-tracking/store/admin'
import { type Store } from '@payment-tracking/store/core'

export interface Replayed {
  replayed: bigint[]
  /** why the other dead letters were not replayed: their bytes were cut, or the stream does not take their subject */
  refused: { id: bigint; why: string }[]
}

function whyNot(letter: DeadLetterBytes, subjectPrefix: string): string | null {
  if (letter.kept < letter.size) return `only ${letter.kept} of ${letter.size} bytes were kept`
  if (!letter.subject.startsWith(`${subjectPrefix}.`) || /[\s*>]|\.\.|\.$/.test(letter.subject))
    return 'its subject is not one of the stream'
  return null
}

/**
 * Publishes dead letters to the stream again, byte for byte, oldest first. Ingest checks them again: a message that is
 * refused again becomes a new dead letter. Each dead letter is marked as replayed only after the stream stored the
 * message.
 */
export async function replayDeadLetters(
  parts: { store: Store; bus: Bus; subjectPrefix: string },
  ids: readonly bigint[],
): Promise<Replayed> {
  const replayed: bigint[] = []
  const refused: Replayed['refused'] = []
  for (const letter of await readDeadLetters(parts.store, ids)) {
    const why = whyNot(letter, parts.subjectPrefix)
    if (why !== null) {
      refused.push({ id: letter.id, why })
      continue
    }
    await parts.bus.publish(letter.subject, letter.bytes)
    await markReplayed(parts.store, [letter.id])
    replayed.push(letter.id)
  }
  return { replayed, refused }
}
