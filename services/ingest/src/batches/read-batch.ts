import type { ReceivedBusMessage } from '@payment-tracking/bus'
import { readMessage } from '@payment-tracking/domain'
import type { ReceivedMessage, RefusedMessage } from '@payment-tracking/store'

export interface ProgramSettings {
  programId: string
  requireProgramId: boolean
}

/** Checks every message of a batch; a refused one never keeps a good one waiting. */
export async function readBatch(
  messages: readonly ReceivedBusMessage[],
  program: ProgramSettings,
): Promise<{ received: ReceivedMessage[]; refused: RefusedMessage[] }> {
  const received: ReceivedMessage[] = []
  const refused: RefusedMessage[] = []
  for (const { bytes, subject, streamSequence } of messages) {
    const read = await readMessage(bytes, program)
    if (read.ok) received.push({ event: read.event, streamSequence, subject, bytes })
    else refused.push({ ...read.refusal, streamSequence, subject, bytes })
  }
  return { received, refused }
}
