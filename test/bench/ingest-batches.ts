// Messages of a feed as ingest hands them to the store.
import { DEFAULT_PROGRAM_ID } from '@payment-tracking/contracts'
import { readMessage } from '@payment-tracking/domain'
import type { Batch, ReceivedMessage } from '@payment-tracking/store/ingest'

/** The default of ingest. */
export const BATCH_SIZE = 2_000

const PROGRAM = { programId: DEFAULT_PROGRAM_ID, requireProgramId: false }

/** Reads messages as ingest does. @throws Error for one that is refused */
export const readAll = (messages: readonly Uint8Array[]): ReceivedMessage[] =>
  messages.map((bytes, index) => {
    const read = readMessage(bytes, PROGRAM)
    if (!read.ok) throw new Error(`the feed is refused: ${read.refusal.reason}`)
    return { event: read.event, bytes, subject: '', streamSequence: index + 1 }
  })

/** @param size of a batch */
export function* inBatches(received: readonly ReceivedMessage[], size = BATCH_SIZE): Generator<Batch> {
  for (let start = 0; start < received.length; start += size)
    yield {
      stream: { name: 'BENCH', createdAt: new Date(0) },
      received: received.slice(start, start + size),
      refused: [],
    }
}
