// Ingest without NATS: the service's own code reads and stores messages, in batches of any size.
import { DEFAULT_PROGRAM_ID, DEFAULT_SUBJECT_PREFIX, subjectOf } from '@payment-tracking/contracts'
import type { CommittedBatch } from '@payment-tracking/store/ingest'
import type { Store } from '@payment-tracking/store/core'
import { readBatch } from '../src/pipeline/read-batch.js'
import { storeBatch } from '../src/pipeline/store-batch.js'

const STREAM = { name: 'TEST', createdAt: new Date(0) }
export const PROGRAM = {
  programId: DEFAULT_PROGRAM_ID,
  requireProgramId: false,
  subjectPrefix: DEFAULT_SUBJECT_PREFIX,
}

/** The event name of a message, if it has one. */
export const nameOf = (bytes: Uint8Array): unknown => {
  try {
    return (JSON.parse(Buffer.from(bytes).toString()) as { event_name?: unknown }).event_name
  } catch {
    return undefined
  }
}

/** @param firstSequence the stream's position: each publish of a message has a sequence of its own */
export const ingestMessages = (
  store: Store,
  messages: readonly Uint8Array[],
  options = {},
): Promise<CommittedBatch[]> =>
  ingestSubjects(
    store,
    messages.map(bytes => ({ bytes, subject: subjectOf(DEFAULT_SUBJECT_PREFIX, nameOf(bytes)) })),
    options,
  )

/** The same for messages whose subject contradicts their bytes. */
export async function ingestSubjects(
  store: Store,
  messages: readonly { bytes: Uint8Array; subject: string }[],
  { batchSize = 100, firstSequence = 1 } = {},
): Promise<CommittedBatch[]> {
  const committed: CommittedBatch[] = []
  for (let start = 0; start < messages.length; start += batchSize) {
    const batch = messages.slice(start, start + batchSize).map(({ bytes, subject }, index) => ({
      bytes,
      subject,
      streamSequence: firstSequence + start + index,
      deliveries: 1,
    }))
    committed.push(...(await storeBatch(store, { stream: STREAM, ...(await readBatch(batch, PROGRAM)) })))
  }
  return committed
}
