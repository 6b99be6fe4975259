import type { RefusalCode } from '@payment-tracking/domain'
import type { PipelinedTx } from '../database/pipelined-transactions.js'
import { sql, type Tx } from '../database/sql.js'

/** The stored bytes of a refused message. */
export const DEAD_LETTER_BYTES = 64 * 1024

export interface RefusedMessage {
  streamSequence: number
  subject: string
  code: RefusalCode
  reason: string
  bytes: Uint8Array
  /** for a CONFLICT: a retraction of this transaction may accept the message */
  signature?: string
}

/** The stream of a message. A stream that was deleted and created again restarts its sequences. */
export interface StreamIdentity {
  name: string
  createdAt: Date
}

/**
 * Stores refused messages, each once by stream and sequence. A batch holds a message twice when the stream delivered it
 * again before the first copy was handled.
 * @returns how many are new
 */
export async function insertDeadLetters(
  tx: Tx,
  stream: StreamIdentity,
  refused: readonly RefusedMessage[],
): Promise<number> {
  if (refused.length === 0) return 0
  const letters = [...new Map(refused.map(letter => [letter.streamSequence, letter])).values()]
  return tx.$executeRaw`
    insert into dead_letters (stream, stream_created_at, stream_sequence, subject, code, reason, bytes, size, signature)
    select ${stream.name}, ${stream.createdAt}, l.* from unnest(
      ${letters.map(letter => letter.streamSequence.toString())}::bigint[],
      ${letters.map(letter => letter.subject.replaceAll('\0', ''))}::text[],
      ${letters.map(letter => letter.code)}::text[],
      ${letters.map(letter => letter.reason)}::text[],
      ${letters.map(letter => '\\x' + Buffer.from(letter.bytes.subarray(0, DEAD_LETTER_BYTES)).toString('hex'))}::bytea[],
      ${letters.map(letter => letter.bytes.length)}::int[],
      ${letters.map(letter => letter.signature ?? null)}::text[]) as l
    on conflict (stream, stream_created_at, stream_sequence) do nothing`
}

/** Closes the dead letters of messages that were refused when they came first, and are accepted now. */
export function closeTaken(
  tx: PipelinedTx,
  stream: StreamIdentity,
  streamSequences: readonly number[],
): void {
  if (streamSequences.length === 0) return
  tx.send(sql`
    update dead_letters set replayed_at = clock_timestamp()
     where stream = ${stream.name} and stream_created_at = ${stream.createdAt} and replayed_at is null
       and stream_sequence = any(${streamSequences.map(String)}::bigint[])`)
}

/** A dead letter that a retraction may accept. */
export interface WaitingLetter {
  id: bigint
  streamSequence: number
  subject: string
  bytes: Uint8Array
}

/**
 * The waiting contradictions of some transactions, oldest first. A message that was too long to store whole cannot be
 * read again. Relies on dead_letters_waiting.
 */
export async function readWaitingLetters(tx: Tx, signatures: readonly string[]): Promise<WaitingLetter[]> {
  if (signatures.length === 0) return []
  const rows = await tx.$queryRaw<
    { id: bigint; stream_sequence: bigint; subject: string; bytes: Uint8Array }[]
  >`
    select id, stream_sequence, subject, bytes from dead_letters
     where signature = any(${[...signatures]}::text[]) and replayed_at is null and code = 'CONFLICT'
       and size = length(bytes)
     order by id`
  return rows.map(row => ({
    id: row.id,
    streamSequence: Number(row.stream_sequence),
    subject: row.subject,
    bytes: row.bytes,
  }))
}

/** Marks letters that are stored as events now. */
export async function markTakenIn(tx: Tx, ids: readonly bigint[]): Promise<void> {
  if (ids.length === 0) return
  await tx.$executeRaw`
    update dead_letters set replayed_at = clock_timestamp() where id = any(${ids.map(String)}::bigint[])`
}
