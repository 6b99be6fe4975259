// The users of infra/docker/nats.conf on a real server: each can do its work, and nothing beside it.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { indexerBucketOf, subjectOf } from '@payment-tracking/contracts'
import { createLogger } from '@payment-tracking/runtime'
import { findFreePort, findServerProgram } from '@payment-tracking/stack'
import { startProgram, waitFor } from '@payment-tracking/testkit'
import { connect, type NatsConnection } from 'nats'
import t from 'tap'
import { openBus } from '../src/bus.js'
import { BUS_USERS, inboxOf, type BusUser } from '../src/permissions.js'

const CONF = fileURLToPath(new URL('../../../infra/docker/nats.conf', import.meta.url))
const STREAM = 'CHAIN_EVENTS'
const PREFIX = 'chain.events'
const SUBJECT = subjectOf(PREFIX, 'PaymentRecord')
const BUCKET = indexerBucketOf(STREAM)
const ASKS = `INDEXER_ASKS.${STREAM}.due-accounts`

const [port, program] = [await findFreePort(), await findServerProgram('nats')]
const folder = t.testdir({ nats: {} })
const file = join(folder, 'nats.conf')
writeFileSync(
  file,
  readFileSync(CONF, 'utf8')
    .replace('0.0.0.0:4222', `127.0.0.1:${port}`)
    .replace(/^http:.*$/m, '')
    .replace('/data', join(folder, 'nats')),
)
const passwordOf = (user: BusUser) => `password-of-${user}`
const env = Object.fromEntries(
  BUS_USERS.map(user => [`NATS_${user.toUpperCase()}_PASSWORD`, `"${passwordOf(user)}"`]),
)
const server = startProgram(t, program.file, ['-c', file], { env: { ...program.env, ...env } })
await waitFor(async () => /Server is ready/.test(server.output), { what: 'NATS' })

const log = createLogger('test', { LOG_LEVEL: 'silent', ENVIRONMENT: 'test' })
const busOf = async (user: BusUser) => {
  const bus = await openBus({ NATS_URL: `nats://${user}:${passwordOf(user)}@127.0.0.1:${port}` }, user, log)
  t.teardown(() => bus.close())
  return bus
}
/** As somebody who has stolen the password of a user. */
const thiefOf = async (user: BusUser): Promise<NatsConnection> => {
  const connection = await connect({
    servers: `127.0.0.1:${port}`,
    user,
    pass: passwordOf(user),
    inboxPrefix: inboxOf(user),
    timeout: 2_000,
  })
  t.teardown(() => connection.close())
  return connection
}
const stream = { streamName: STREAM, subjectPrefix: PREFIX }
const bytes = new TextEncoder().encode('{}')
const consumer = { ...stream, consumerName: 'ingest', batchSize: 10, ackWaitMs: 30_000 }

t.test('each user does its work', async t => {
  const [publisher, ingest, indexer, ops] = await Promise.all(
    (['publisher', 'ingest', 'indexer', 'ops'] as const).map(busOf),
  )
  await publisher!.ensureStream(stream)
  t.equal(await publisher!.publish(SUBJECT, bytes), 1)
  await indexer!.ensureStream(stream)
  const keys = await indexer!.openKeyValue(BUCKET, STREAM)
  const revision = await keys.set('checkpoint', '1', 0)
  await keys.set('checkpoint', '2', revision)
  t.match(await keys.get('checkpoint'), { value: '2' })
  t.same(
    await indexer!.publishAll([
      { subject: SUBJECT, bytes },
      { subject: SUBJECT, bytes, id: 'x' },
    ]),
    [2, 3],
  )
  const read: number[] = []
  const handle = async (messages: readonly { streamSequence: number }[]) => {
    read.push(...messages.map(({ streamSequence }) => streamSequence))
    return undefined
  }
  t.equal(await indexer!.readAgain({ ...stream, from: 1, batchSize: 10 }, handle), 3, 'what it published')

  const reading = ingest!.consume(consumer, handle)
  // Also after a failure: what reads on would keep the process.
  t.teardown(() => reading.stop())
  reading.start()
  await waitFor(async () => read.length === 6, { what: 'all messages' })
  await waitFor(async () => (await reading.lag()) === 0, { what: 'their acknowledgement' })
  t.match(await reading.measureLag(), { messages: 0 })
  t.equal(await ingest!.readAgain({ ...stream, from: 1, batchSize: 10 }, handle), 3)
  const answering = ingest!.answer(
    ASKS,
    async () => new TextEncoder().encode('an answer'),
    error => t.error(error),
  )
  t.teardown(() => answering.stop())
  // Another connection may ask before the server knows who answers.
  const answer = await waitFor(() => indexer!.ask(ASKS, bytes), { what: 'an answer' })
  t.equal(new TextDecoder().decode(answer), 'an answer')

  t.match(await ops!.position({ ...stream, consumerName: 'ingest' }), { acknowledgedSequence: 3 })
  t.match(await ops!.peekKey(BUCKET, 'checkpoint'), { value: '2' })
  t.match(await ops!.listConsumers(STREAM), [{ name: 'ingest', unread: 0 }])
  t.equal(await ops!.publish(SUBJECT, bytes), 4, 'a dead letter goes the way of all events')
})

t.test('a stolen password of a user does nothing beside its work', async t => {
  const denied = { code: 'PERMISSIONS_VIOLATION' }
  const api = (request: string) => `$JS.API.${request}`
  const everybody = [
    ...['STREAM.DELETE', 'STREAM.PURGE', 'STREAM.UPDATE', 'STREAM.MSG.DELETE'].map(each =>
      api(`${each}.${STREAM}`),
    ),
    api('STREAM.CREATE.ANOTHER'),
    'another.subject',
  ]
  const beside: Record<BusUser, string[]> = {
    ingest: [SUBJECT, `$KV.${BUCKET}.lease`, ASKS],
    indexer: [api(`STREAM.DELETE.KV_${BUCKET}`), `$JS.ACK.${STREAM}.ingest.1.1.1.1.0`],
    ops: [
      api(`CONSUMER.CREATE.${STREAM}`),
      api(`CONSUMER.DELETE.${STREAM}.ingest`),
      `$KV.${BUCKET}.lease`,
      `$JS.ACK.${STREAM}.ingest.1.1.1.1.0`,
    ],
    publisher: [api(`CONSUMER.CREATE.${STREAM}`), api(`STREAM.MSG.GET.${STREAM}`), `$KV.${BUCKET}.lease`],
  }
  for (const user of BUS_USERS) {
    const thief = await thiefOf(user)
    for (const subject of [...everybody, ...beside[user]])
      await t.rejects(thief.request(subject, bytes), denied, `${user} says nothing on ${subject}`)
    for (const subject of [
      '>',
      `${PREFIX}.>`,
      '_INBOX.>',
      ...BUS_USERS.filter(each => each !== user).map(each => `${inboxOf(each)}.>`),
    ]) {
      const heard = new Promise(resolve => thief.subscribe(subject, { callback: error => resolve(error) }))
      t.match(await heard, denied, `${user} hears nothing on ${subject}`)
    }
  }
  const { streams } = await (await thiefOf('publisher')).jetstreamManager()
  t.equal((await streams.info(STREAM)).state.messages, 4, 'nothing was added or removed')
})
