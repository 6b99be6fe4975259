// Where the bus leans on what the client's types do not know. A guard that fails says what a new version changed.
import { useNats } from '@payment-tracking/testkit'
import t from 'tap'

t.test('upgrade guard: getMessage passes next_by_subj on, and the server finds the next message', async t => {
  const nats = await useNats(t)
  const manager = await nats.connection.jetstreamManager()
  await nats.addStream()
  for (const subject of ['a', 'b', 'c']) await nats.jetstream.publish(`${nats.subjectPrefix}.${subject}`)
  await manager.streams.deleteMessage(nats.stream, 1)
  // A question that the client's types do not have: consumer.ts measures the age of the oldest message by it.
  const question = { seq: 1, next_by_subj: `${nats.subjectPrefix}.>` }
  const message = await manager.streams.getMessage(nats.stream, question)
  t.equal(message.seq, 2, 'the first message at or after the sequence')
  t.equal(message.subject, `${nats.subjectPrefix}.b`)
})
