// The messages of test/fixtures, stored as ingest stores them.
import { controlKindOf, DEFAULT_PROGRAM_ID, DEFAULT_SUBJECT_PREFIX } from '@payment-tracking/contracts'
import { readControlMessage, readMessage } from '@payment-tracking/domain'
import {
  commitBatch,
  type ReceivedControl,
  type ReceivedMessage,
  type RefusedMessage,
} from '@payment-tracking/store/ingest'
import { type Store } from '@payment-tracking/store/core'
import {
  readExpectedAnswers,
  readFixtureMessages,
  readSecondFixtures,
  shuffleFixtures,
  toFixtureMessages,
  type FixtureMessage,
} from '@payment-tracking/testkit'

/** What is true of the first set. */
export const expected = await readExpectedAnswers()

const STREAM = { name: 'FIXTURES', createdAt: new Date(0) }
const SETTINGS = { programId: DEFAULT_PROGRAM_ID, requireProgramId: false }

async function fill(store: Store, messages: readonly FixtureMessage[], batchSize: number): Promise<void> {
  for (let from = 0; from < messages.length; from += batchSize) {
    const received: ReceivedMessage[] = []
    const refused: RefusedMessage[] = []
    const controls: ReceivedControl[] = []
    for (const [at, { bytes, subject }] of messages.slice(from, from + batchSize).entries()) {
      const source = { streamSequence: from + at + 1, subject, bytes }
      const kind = controlKindOf(DEFAULT_SUBJECT_PREFIX, subject)
      if (kind === null) {
        const result = readMessage(bytes, SETTINGS)
        if (result.ok) received.push({ ...source, event: result.event })
        else refused.push({ ...source, ...result.refusal })
      } else {
        const result = readControlMessage(kind, bytes)
        if (result.ok) controls.push({ ...source, control: result.control })
        else refused.push({ ...source, ...result.refusal })
      }
    }
    await commitBatch(store, { stream: STREAM, received, refused, controls })
  }
}

/** Stores every message in batches of this size. */
export const fillFromFixtures = async (store: Store, batchSize = 200): Promise<void> =>
  fill(store, toFixtureMessages(await readFixtureMessages()), batchSize)

/** Stores the messages of the second set, including control messages. */
export const fillFromSecondFixtures = async (store: Store): Promise<void> =>
  fill(store, shuffleFixtures(await readSecondFixtures(), 7), 100)
