import { openBus } from '@payment-tracking/bus'
import { createLogger } from '@payment-tracking/runtime'
import { useNats } from '@payment-tracking/testkit'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { reingest } from '../src/recovery/reingest.js'

async function openReader(t: Test, count: number) {
  const nats = await useNats(t)
  const { created } = await nats.addStream()
  for (let n = 0; n < count; n++) await nats.jetstream.publish(`${nats.subjectPrefix}.Event`, `${n}`)
  const log = createLogger('test', { LOG_LEVEL: 'silent', ENVIRONMENT: 'production' })
  const bus = await openBus({ NATS_URL: nats.url }, 'test', log)
  t.teardown(() => bus.close())
  const stream = { streamName: nats.stream, subjectPrefix: nats.subjectPrefix }
  return { options: { bus, stream, log }, createdAt: new Date(created) }
}

t.test('payments of a stream that was made anew before a failover were not read again', async t => {
  const { options, createdAt } = await openReader(t, 3)
  const read = (from: number, ofStream?: Date | null) =>
    reingest(from, {
      ...options,
      batchSize: 10,
      handle: () => Promise.resolve(undefined),
      ...(ofStream !== undefined && { ofStream }),
    })
  t.equal(await read(1_000, new Date(createdAt.getTime() - 1_000)), 3, 'a sequence of another stream')
  t.equal(await read(1_000, null), 3, 'of a stream that nobody knows')
  t.equal(await read(3, createdAt), 1, 'of this stream')
  t.equal(await read(3), 1, 'an operator names a sequence of this stream')
})

t.test('a long reading of the stream records how far it came, and never what is not stored', async t => {
  const { options } = await openReader(t, 6)
  let stored = 0
  const recorded: number[] = []
  const read = await reingest(1, {
    ...options,
    batchSize: 1,
    handle: async ([message]) => {
      await sleep(700)
      stored = message!.streamSequence
      return undefined
    },
    onProgress: async sequence => {
      t.equal(sequence, stored, 'all up to here is stored')
      recorded.push(sequence)
    },
  })
  t.equal(read, 6)
  t.ok(recorded.length > 0, 'progress is recorded')
  t.ok(recorded.length < 6, 'and not after every batch')
})
