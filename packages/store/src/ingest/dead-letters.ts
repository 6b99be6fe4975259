import type { RefusalCode } from '@payment-tracking/domain'
import type { Tx } from '../database/sql.js'

/** Bytes of a refused message that are kept. */
export const DEAD_LETTER_BYTES = 64 * 1024

export interface RefusedMessage {
  streamSequence: number
  subject: string
  code: RefusalCode
  reason: string
  bytes: Uint8Array
}

/** The stream a message came from; a stream that was deleted and made again counts its sequences anew. */
export interface StreamIdentity {
  name: string
  createdAt: Date
}

/** Keeps refused messages, each once by stream and sequence. */
export async function insertDeadLetters(
  tx: Tx,
  stream: StreamIdentity,
  letters: readonly RefusedMessage[],
): Promise<number> {
  if (letters.length === 0) return 0
  return tx.$executeRaw`
    insert into dead_letters (stream, stream_created_at, stream_sequence, subject, code, reason, bytes, size)
    select ${stream.name}, ${stream.createdAt}, l.* from unnest(
      ${letters.map(letter => letter.streamSequence.toString())}::bigint[],
      ${letters.map(letter => letter.subject.replaceAll('\0', ''))}::text[],
      ${letters.map(letter => letter.code)}::text[],
      ${letters.map(letter => letter.reason)}::text[],
      ${letters.map(letter => '\\x' + Buffer.from(letter.bytes.subarray(0, DEAD_LETTER_BYTES)).toString('hex'))}::bytea[],
      ${letters.map(letter => letter.bytes.length)}::int[]) as l
    on conflict do nothing`
}
