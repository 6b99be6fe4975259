import type { Bus } from '@payment-tracking/bus'
import { markReplayed, readDeadLetters, type DeadLetterBytes, type Store } from '@payment-tracking/store'

export interface Replayed {
  replayed: bigint[]
  /** why the others were not: their bytes were cut when they were kept, or their subject is not the stream's */
  refused: { id: bigint; why: string }[]
}

function whyNot(letter: DeadLetterBytes, subjectPrefix: string): string | null {
  if (letter.kept < letter.size) return `only ${letter.kept} of ${letter.size} bytes were kept`
  if (!letter.subject.startsWith(`${subjectPrefix}.`) || /[\s*>]|\.\.|\.$/.test(letter.subject))
    return 'its subject is not one of the stream'
  return null
}

/**
 * Puts dead letters back into the stream, byte for byte, oldest first. Ingest judges them anew: what is refused
 * again becomes a new dead letter. Each is noted as replayed only after the stream took it.
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
