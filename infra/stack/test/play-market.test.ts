import { DEFAULT_PROGRAM_ID } from '@payment-tracking/contracts'
import { deriveGateway } from '@payment-tracking/domain'
import { useNats, waitFor } from '@payment-tracking/testkit'
import { join } from 'node:path'
import t from 'tap'
import { readKeyFile } from '../src/commands/dev-kit/key-file.js'
import { playMarket } from '../src/commands/demo/play-market.js'

t.test('the market of the demo begins at once, and ends when it is told to', async t => {
  const nats = await useNats(t)
  const manager = await nats.connection.jetstreamManager()
  await manager.streams.add({ name: nats.stream, subjects: [`${nats.subjectPrefix}.>`] })
  const count = async () => (await manager.streams.info(nats.stream)).state.messages
  const logged: string[] = []
  const DATA_DIR = t.testdir()
  /** What the database of a demo holds. */
  const stored = new Set<string>()
  const play = () =>
    playMarket({
      natsUrl: nats.url,
      knowsGateway: gateway => Promise.resolve(stored.has(gateway)),
      env: { STREAM_NAME: nats.stream, SUBJECT_PREFIX: nats.subjectPrefix, DATA_DIR },
      log: line => logged.push(line),
    })
  const { close, keyFile } = await play()
  await waitFor(async () => (await count()) > 6, { what: 'gateways, customers and payments' })
  await close()
  const ended = await count()
  t.equal(await count(), ended)
  const authorities = async () => {
    const created: string[] = []
    for (let seq = 1; seq <= (await count()); seq++) {
      const text = (await manager.streams.getMessage(nats.stream, { seq })).string()
      const { event_name: name, data } = JSON.parse(text) as {
        event_name: string
        data: { authority: string }
      }
      if (name === 'PaymentGatewayCreated') created.push(data.authority)
    }
    return created
  }
  t.equal(keyFile, join(DATA_DIR, 'demo-key.json'))
  const { publicKey } = readKeyFile(keyFile)
  t.equal((await authorities())[0], publicKey, 'a person can sign in as the first gateway')
  stored.add(deriveGateway(DEFAULT_PROGRAM_ID, publicKey))
  await (await play()).close()
  await waitFor(async () => (await authorities()).length === 5, {
    what: 'the other gateways of a second demo',
  })
  t.equal((await authorities()).filter(each => each === publicKey).length, 1, 'which is created once')
  stored.clear()
  await (await play()).close()
  await waitFor(async () => (await authorities()).length === 8, { what: 'the gateways of a new database' })
  const again = (await authorities()).filter(each => each === publicKey).length
  t.equal(again, 2, 'a key whose gateway the database lacks gets its gateway again')
  t.same(logged, [])
})
