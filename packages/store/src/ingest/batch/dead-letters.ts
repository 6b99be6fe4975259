import type { StreamIdentity } from '../../core/tables/stream-gaps.js'
import type { RefusedMessage } from './batch.js'
import { bigints, sql, type PipelinedTx, type Tx } from '../../core/database/sql.js'

/** The stored bytes of a refused message. */
export const DEAD_LETTER_BYTES = 64 * 1024

/**
 * Stores refused messages, each once by stream and sequence. A batch holds a message twice when the stream delivered it
 * again before the first copy was handled.
 * @returns how many are new
 */
export async function insertDeadLetters(
  tx: PipelinedTx,
  stream: StreamIdentity,
  refused: readonly RefusedMessage[],
): Promise<number> {
  if (refused.length === 0) return 0
  const letters = [...new Map(refused.map(letter => [letter.streamSequence, letter])).values()]
  const data = letters.map(({ streamSequence, subject, code, reason, bytes, signature }) => ({
    stream: stream.name,
    streamCreatedAt: stream.createdAt,
    streamSequence,
    subject: subject.replaceAll('\0', ''),
    code,
    reason,
    bytes: Uint8Array.from(bytes.subarray(0, DEAD_LETTER_BYTES)),
    size: bytes.length,
    signature: signature ?? null,
  }))
  const { count } = await tx.withModels(client =>
    client.deadLetter.createMany({ data, skipDuplicates: true }),
  )
  return count
}

/**
 * Closes the dead letters of messages that were refused when they came first, and are accepted now. SQL: the clock of
 * Postgres.
 */
export function closeReplayed(
  tx: PipelinedTx,
  stream: StreamIdentity,
  streamSequences: readonly number[],
): void {
  if (streamSequences.length === 0) return
  tx.send(sql`
    update dead_letters set replayed_at = clock_timestamp()
     where stream = ${stream.name} and stream_created_at = ${stream.createdAt} and replayed_at is null
       and stream_sequence = any(${bigints(streamSequences)})`)
}

/** A dead letter that a retraction may accept. */
interface WaitingLetter extends Pick<RefusedMessage, 'streamSequence' | 'subject' | 'bytes'> {
  letterId: bigint
}

/**
 * The waiting contradictions of some transactions, oldest first. A message that was too long to store whole cannot be
 * read again. Relies on dead_letters_waiting.
 */
export async function readWaitingLetters(tx: Tx, signatures: readonly string[]): Promise<WaitingLetter[]> {
  if (signatures.length === 0) return []
  return tx.$queryRaw<WaitingLetter[]>`
    select id as "letterId", stream_sequence::float8 as "streamSequence", subject, bytes from dead_letters
     where signature = any(${[...signatures]}::text[]) and replayed_at is null and code = 'CONFLICT'
       and size = length(bytes)
     order by id`
}

/** Marks letters that are stored as events now. SQL: the clock of Postgres. */
export async function markAccepted(tx: Tx, letters: readonly { letterId: bigint }[]): Promise<void> {
  if (letters.length === 0) return
  const ids = bigints(letters.map(({ letterId }) => letterId))
  await tx.$executeRaw`update dead_letters set replayed_at = clock_timestamp() where id = any(${ids})`
}
