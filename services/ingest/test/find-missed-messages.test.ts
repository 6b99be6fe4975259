import type { StreamPosition } from '@payment-tracking/bus'
import t from 'tap'
import { findMissedMessages } from '../src/recovery/find-missed-messages.js'

const at = (over: Partial<StreamPosition>): StreamPosition => ({
  stream: { name: 'S', createdAt: new Date(0) },
  firstSequence: 1,
  lastSequence: 100,
  acknowledgedSequence: 0,
  inFlight: 0,
  deliveredSequence: 0,
  deliveries: 0,
  holdsOtherSubjects: false,
  takesControls: true,
  ...over,
})

t.test('messages that were discarded before they were read are found', t => {
  const behind = at({ firstSequence: 51, acknowledgedSequence: 20, deliveredSequence: 20, deliveries: 20 })
  t.strictSame(findMissedMessages(behind), { fromSequence: 21, toSequence: 50 })
  const goneOn = at({ firstSequence: 71, acknowledgedSequence: 90, deliveredSequence: 90, deliveries: 40 })
  const before = at({ firstSequence: 11, acknowledgedSequence: 20, deliveredSequence: 20, deliveries: 20 })
  t.strictSame(
    findMissedMessages(goneOn, before),
    { fromSequence: 21, toSequence: 70 },
    'also when the consumer went on behind them between two looks',
  )
  t.end()
})

t.test('messages that ingest has read or is storing, and messages of other subjects, are not missed', t => {
  const read = at({ firstSequence: 51, acknowledgedSequence: 60, deliveredSequence: 60, deliveries: 60 })
  t.equal(findMissedMessages(read, at({})), null)
  t.equal(findMissedMessages(at({ firstSequence: 101, acknowledgedSequence: 100 })), null, 'an empty stream')
  t.equal(findMissedMessages(at({ firstSequence: 51, acknowledgedSequence: 20, inFlight: 30 })), null)
  t.equal(
    findMissedMessages(at({ firstSequence: 51, acknowledgedSequence: 20, holdsOtherSubjects: true })),
    null,
  )
  const anew = at({
    stream: { name: 'S', createdAt: new Date(1) },
    deliveredSequence: 90,
    acknowledgedSequence: 90,
  })
  t.equal(findMissedMessages(anew, at({ deliveredSequence: 20 })), null, 'another stream')
  t.end()
})
