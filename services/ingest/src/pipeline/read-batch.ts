import type { ReceivedBusMessage } from '@payment-tracking/bus'
import { readMessage } from '@payment-tracking/domain'
import type { ReceivedMessage, RefusedMessage } from '@payment-tracking/store'
import { setImmediate as giveWay } from 'node:timers/promises'
import { describeFault } from './store-batch.js'

export interface ProgramSettings {
  programId: string
  requireProgramId: boolean
}

/** About a millisecond of reading, after which the batch before gets to send its next statement. */
const IN_ONE_GO = 25

/** Checks every message of a batch; a refused one never keeps a good one waiting. */
export async function readBatch(
  messages: readonly ReceivedBusMessage[],
  program: ProgramSettings,
): Promise<{ received: ReceivedMessage[]; refused: RefusedMessage[] }> {
  const received: ReceivedMessage[] = []
  const refused: RefusedMessage[] = []
  for (const [index, { bytes, subject, streamSequence }] of messages.entries()) {
    if (index > 0 && index % IN_ONE_GO === 0) await giveWay()
    try {
      const read = readMessage(bytes, program)
      if (read.ok) received.push({ event: read.event, streamSequence, subject, bytes })
      else refused.push({ ...read.refusal, streamSequence, subject, bytes })
    } catch (error) {
      refused.push({ code: 'INGEST_FAULT', reason: describeFault(error), streamSequence, subject, bytes })
    }
  }
  return { received, refused }
}
