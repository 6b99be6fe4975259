import { useNats, waitFor } from '@payment-tracking/testkit'
import t from 'tap'
import { playMarket } from '../src/commands/demo/play-market.js'

t.test('the market of the demo begins at once, and ends when it is told to', async t => {
  const nats = await useNats(t)
  const manager = await nats.connection.jetstreamManager()
  await manager.streams.add({ name: nats.stream, subjects: [`${nats.subjectPrefix}.>`] })
  const count = async () => (await manager.streams.info(nats.stream)).state.messages
  const logged: string[] = []
  const close = await playMarket({
    natsUrl: nats.url,
    env: { STREAM_NAME: nats.stream, SUBJECT_PREFIX: nats.subjectPrefix },
    log: line => logged.push(line),
  })
  await waitFor(async () => (await count()) > 6, { what: 'gateways, customers and payments' })
  await close()
  const ended = await count()
  t.equal(await count(), ended)
  t.same(logged, [])
})
