// The messages of test/fixtures, stored as ingest stores them.
import { readFileSync } from 'node:fs'
import { controlKindOf, DEFAULT_PROGRAM_ID, DEFAULT_SUBJECT_PREFIX } from '@payment-tracking/contracts'
import { readControlMessage, readMessage } from '@payment-tracking/domain'
import {
  commitBatch,
  type ReceivedControl,
  type ReceivedMessage,
  type RefusedMessage,
} from '@payment-tracking/store/ingest'
import { type Store } from '@payment-tracking/store/core'
import { readSecondFixtures, shuffleFixtures } from '@payment-tracking/testkit'

const FIXTURES = new URL('../../../test/fixtures/', import.meta.url)

export interface ExpectedSubscription {
  query: { trackingId: string }
  wallet: { walletPublicKey: string; tokenMint: string }
  policyAddress: string
  status: string
  record: Record<string, unknown>
}

export interface Expected {
  program: string
  stored: number
  countByName: Record<string, number>
  eventNames: string[]
  otherPolicyTypes: string[]
  stats: { gateway: string; authority: string; count: number }[]
  subscriptions: ExpectedSubscription[]
  deletedTrackingIds: string[]
  oneTime: { trackingId: string; recipient: string; newestFirst: Record<string, unknown>[] }[]
}

/** Integers as doubles: truth.test.ts compares every digit. */
export const expected = JSON.parse(readFileSync(new URL('expected.json', FIXTURES), 'utf8')) as Expected

/** Stores every message in batches of this size. */
export async function fillFromFixtures(store: Store, batchSize = 200): Promise<void> {
  const lines = readFileSync(new URL('messages.jsonl', FIXTURES), 'utf8').split('\n').filter(Boolean)
  const stream = { name: 'FIXTURES', createdAt: new Date(0) }
  const settings = { programId: DEFAULT_PROGRAM_ID, requireProgramId: false }
  for (let from = 0; from < lines.length; from += batchSize) {
    const received: ReceivedMessage[] = []
    const refused: RefusedMessage[] = []
    for (const [at, line] of lines.slice(from, from + batchSize).entries()) {
      const bytes = Buffer.from(line)
      const source = { streamSequence: from + at + 1, subject: 'chain.events.fixture', bytes }
      const result = readMessage(bytes, settings)
      if (result.ok) received.push({ ...source, event: result.event })
      else refused.push({ ...source, ...result.refusal })
    }
    await commitBatch(store, { stream, received, refused })
  }
}

/** Stores the messages of the second set, including control messages, in batches of this size. */
export async function fillFromSecondFixtures(store: Store, batchSize = 100): Promise<void> {
  const messages = shuffleFixtures(await readSecondFixtures(), 7)
  const stream = { name: 'FIXTURES', createdAt: new Date(0) }
  const settings = { programId: DEFAULT_PROGRAM_ID, requireProgramId: false }
  for (let from = 0; from < messages.length; from += batchSize) {
    const received: ReceivedMessage[] = []
    const refused: RefusedMessage[] = []
    const controls: ReceivedControl[] = []
    for (const [at, { bytes, subject }] of messages.slice(from, from + batchSize).entries()) {
      const source = { streamSequence: from + at + 1, subject, bytes }
      const kind = controlKindOf(DEFAULT_SUBJECT_PREFIX, subject)
      if (kind === null) {
        const result = readMessage(bytes, settings)
        if (result.ok) received.push({ ...source, event: result.event })
        else refused.push({ ...source, ...result.refusal })
      } else {
        const result = readControlMessage(kind, bytes)
        if (result.ok) controls.push({ ...source, control: result.control })
        else refused.push({ ...source, ...result.refusal })
      }
    }
    await commitBatch(store, { stream, received, refused, controls })
  }
}
