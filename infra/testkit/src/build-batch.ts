import { DEFAULT_PROGRAM_ID } from '@payment-tracking/contracts'
import { readMessage, type ControlMessage } from '@payment-tracking/domain'
import type { Batch } from '@payment-tracking/store/ingest'

const STREAM = { name: 'TEST', createdAt: new Date(0) }
const SETTINGS = { programId: DEFAULT_PROGRAM_ID, requireProgramId: false }
let sequence = 0

/** Messages and controls as ingest hands them to the store, in one batch. @throws Error for a refused message */
export function buildBatch(messages: readonly object[], controls: readonly ControlMessage[] = []): Batch {
  const received = (kind: string) => ({ streamSequence: ++sequence, subject: `chain.events.${kind}` })
  return {
    stream: STREAM,
    refused: [],
    programId: DEFAULT_PROGRAM_ID,
    received: messages.map(message => {
      const bytes = Buffer.from(JSON.stringify(message))
      const read = readMessage(bytes, SETTINGS)
      if (!read.ok) throw new Error(read.refusal.reason)
      return { ...received('Any'), bytes, event: read.event }
    }),
    controls: controls.map(control => ({
      ...received(`control.${control.kind}`),
      bytes: Buffer.from('{}'),
      control,
    })),
  }
}
