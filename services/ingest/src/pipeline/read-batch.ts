import type { ReceivedBusMessage } from '@payment-tracking/bus'
import { controlKindOf } from '@payment-tracking/contracts'
import { readControlMessage, readMessage } from '@payment-tracking/domain'
import type { ReceivedControl, ReceivedMessage, RefusedMessage } from '@payment-tracking/store/ingest'
import { setImmediate as giveWay } from 'node:timers/promises'
import { describeFault } from './store-batch.js'

export interface ProgramSettings {
  programId: string
  requireProgramId: boolean
  /** the first part of every subject of the stream */
  subjectPrefix: string
}

export interface ReadBatch {
  received: ReceivedMessage[]
  refused: RefusedMessage[]
  /** the indexer's messages about the chain itself, in order */
  controls: ReceivedControl[]
}

/** Reading this many messages takes about a millisecond. Then the previous batch may send its next statement. */
const IN_ONE_GO = 25

/** Checks every message of a batch. A refused message does not delay the valid messages. */
export async function readBatch(
  messages: readonly ReceivedBusMessage[],
  program: ProgramSettings,
): Promise<ReadBatch> {
  const received: ReceivedMessage[] = []
  const refused: RefusedMessage[] = []
  const controls: ReceivedControl[] = []
  for (const [index, { bytes, subject, streamSequence, storedAt }] of messages.entries()) {
    if (index > 0 && index % IN_ONE_GO === 0) await giveWay()
    const source = { streamSequence, subject, bytes }
    try {
      const kind = controlKindOf(program.subjectPrefix, subject)
      if (kind !== null) {
        const read = readControlMessage(kind, bytes)
        if (read.ok) controls.push({ ...source, storedAt, control: read.control })
        else refused.push({ ...source, ...read.refusal })
        continue
      }
      const read = readMessage(bytes, program)
      if (read.ok) received.push({ ...source, event: read.event })
      else refused.push({ ...source, ...read.refusal })
    } catch (error) {
      refused.push({ ...source, code: 'INGEST_FAULT', reason: describeFault(error) })
    }
  }
  return { received, refused, controls }
}
