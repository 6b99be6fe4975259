import type { StreamPosition } from '@payment-tracking/bus'
import t from 'tap'
import { findMissedMessages } from '../src/recovery/find-missed-messages.js'
import { StreamLostMessagesError } from '../src/recovery/gap-watch.js'

const at = (over: Partial<StreamPosition>): StreamPosition => ({
  stream: { name: 'S', createdAt: new Date(0) },
  firstSequence: 1,
  lastSequence: 100,
  acknowledgedSequence: 0,
  inFlight: 0,
  deliveredSequence: 0,
  deliveries: 0,
  consumerCreatedAt: new Date(0),
  deletedMessages: 0,
  hasLostTail: false,
  holdsOtherSubjects: false,
  takesControls: true,
  ...over,
})

t.test('messages that were discarded before they were read are found', t => {
  const lagging = at({ firstSequence: 51, acknowledgedSequence: 20, deliveredSequence: 20, deliveries: 20 })
  t.strictSame(findMissedMessages(lagging), { fromSequence: 21, toSequence: 50 })
  const goneOn = at({ firstSequence: 71, acknowledgedSequence: 90, deliveredSequence: 90, deliveries: 40 })
  const before = at({ firstSequence: 11, acknowledgedSequence: 20, deliveredSequence: 20, deliveries: 20 })
  t.strictSame(findMissedMessages(goneOn, before), { fromSequence: 21, toSequence: 70 }, 'it went on')
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

t.test('messages that the server acknowledged and lost are missed', t => {
  const lost = at({ lastSequence: 1, hasLostTail: true })
  t.equal(findMissedMessages(lost, at({ lastSequence: 0 })), null, 'one check may fall between two messages')
  t.strictSame(findMissedMessages(lost, lost), { fromSequence: 1, toSequence: 1 })
  t.match(new StreamLostMessagesError('S', 1, 1).message, /messages 1 to 1 of S/)
  const before = at({ deliveredSequence: 20, deliveries: 25, acknowledgedSequence: 20 })
  const skipped = at({ deliveredSequence: 30, deliveries: 34, acknowledgedSequence: 30 })
  t.strictSame(findMissedMessages(skipped, before), { fromSequence: 21, toSequence: 30 }, 'one was skipped')
  t.equal(findMissedMessages({ ...skipped, deletedMessages: 1 }, before), null, 'somebody deleted messages')
  t.equal(findMissedMessages({ ...skipped, consumerCreatedAt: new Date(1) }, before), null, 'another one')
  t.equal(findMissedMessages({ ...skipped, deliveries: 35 }, before), null)
  t.end()
})
