import { DEFAULT_PROGRAM_ID } from '@payment-tracking/contracts'
import { readMessage, type ControlMessage } from '@payment-tracking/domain'
import { commitBatch } from '@payment-tracking/store'
import type { TestApi } from './open-api.js'

const STREAM = { name: 'TEST', createdAt: new Date(0) }
let sequence = 0

/** Stores messages of the indexer as ingest does, in one batch. @throws Error for a refused message */
export async function storeMessages(api: TestApi, ...messages: object[]): Promise<void> {
  const received = messages.map(message => {
    const bytes = Buffer.from(JSON.stringify(message))
    const read = readMessage(bytes, { programId: DEFAULT_PROGRAM_ID, requireProgramId: false })
    if (!read.ok) throw new Error(read.refusal.reason)
    return { event: read.event, streamSequence: ++sequence, subject: 'chain.events.Test', bytes }
  })
  await commitBatch(api.store, { stream: STREAM, received, refused: [] })
}

export async function storeControl(api: TestApi, control: ControlMessage): Promise<void> {
  const place = { streamSequence: ++sequence, subject: 'chain.events.control.test', bytes: Buffer.from('{}') }
  await commitBatch(api.store, {
    stream: STREAM,
    received: [],
    refused: [],
    controls: [{ control, ...place }],
  })
}
