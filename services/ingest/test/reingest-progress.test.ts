import { openBus } from '@payment-tracking/bus'
import { createLogger } from '@payment-tracking/runtime'
import { useNats } from '@payment-tracking/testkit'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { reingest } from '../src/recovery/reingest.js'

t.test('a long reading of the stream records how far it came, and never what is not stored', async t => {
  const nats = await useNats(t)
  const manager = await nats.connection.jetstreamManager()
  await manager.streams.add({ name: nats.stream, subjects: [`${nats.subjectPrefix}.>`] })
  for (let n = 0; n < 6; n++) await nats.jetstream.publish(`${nats.subjectPrefix}.Event`, `${n}`)
  const log = createLogger('test', { LOG_LEVEL: 'silent', ENVIRONMENT: 'production' })
  const bus = await openBus({ NATS_URL: nats.url }, 'test', log)
  t.teardown(() => bus.close())
  let stored = 0
  const recorded: number[] = []
  const read = await reingest(1, {
    bus,
    stream: { streamName: nats.stream, subjectPrefix: nats.subjectPrefix },
    batchSize: 1,
    log,
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
