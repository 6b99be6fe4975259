// A standby without the last commits was promoted, and nobody noticed: connected clients got none of the next payments,
// those that came back with `since` were told that nothing was missing, the events stream went on after its cursor, and
// acknowledged payments stayed lost.
import { randomBytes } from 'node:crypto'
import { subjectOf, type SocketPayment, type SubscribeReply } from '@payment-tracking/contracts'
import { buildJwtKeys } from '@payment-tracking/stack'
import {
  buildChain,
  createDatabase,
  openPostgresPair,
  openReceiver,
  startService,
  useNats,
  useRedis,
  waitFor,
  withClient,
  type ChainMessage,
} from '@payment-tracking/testkit'
import { io } from 'socket.io-client'
import t from 'tap'
import { WebSocket } from 'ws'

const BEFORE = 10
const LOST = 20
const AFTER = 10
const TRACKING_ID = 'order-1'

t.test('a promoted standby that lacks commits is noticed, told, and filled from the stream', async t => {
  const pair = await openPostgresPair(t)
  const database = await createDatabase(t, { serverUrl: pair.url })
  const redis = await useRedis(t)
  const nats = await useNats(t)
  const receiver = await openReceiver(t)
  const environment = `e${randomBytes(4).toString('hex')}`
  const common = { DATABASE_URL: database.url, REDIS_URL: redis.url, ENVIRONMENT: environment }
  const ask = <T extends object>(sql: string, values: unknown[] = []): Promise<T[]> =>
    withClient(database.url, async client => (await client.query<T>(sql, values)).rows)
  const epochNow = async () => (await ask<{ epoch: string }>('select epoch from stream_head'))[0]!.epoch

  const chain = buildChain({ seed: 'promoted' })
  const gateway = await chain.openGateway()
  const userPayment = await chain.openUserPayment()
  const policy = await chain.openPolicy(gateway, userPayment, { trackingId: TRACKING_ID })
  await ask('insert into webhooks (gateway, endpoint_url, secret) values ($1, $2, $3)', [
    gateway.address,
    receiver.url,
    `whsec_${randomBytes(32).toString('base64')}`,
  ])
  await nats.addStream()
  const publish = async (messages: ChainMessage[]) => {
    for (const message of messages) {
      const bytes = Buffer.from(JSON.stringify(message))
      await nats.jetstream.publish(subjectOf(nats.subjectPrefix, message.event_name), bytes)
    }
  }
  const pay = (count: number) => publish(Array.from({ length: count }, () => chain.pay(policy)))

  const ingest = await startService(t, 'ingest', {
    ...common,
    NATS_URL: nats.url,
    STREAM_NAME: nats.stream,
    SUBJECT_PREFIX: nats.subjectPrefix,
  })
  const jwt = { JWT_PRIVATE_KEYS: buildJwtKeys(), JWT_ISSUER: 'https://test' }
  const api = await startService(t, 'api', { ...common, ...jwt, PORT: '0' })
  const pod = await startService(t, 'realtime', { ...common, PORT: '0', 'realtime.healEveryMs': '600000' })
  await startService(t, 'webhook-worker', { ...common, WEBHOOK_ALLOW_PRIVATE_TARGETS: 'on' })
  const portOf = async (service: typeof pod, msg: string) => {
    const line = await service.waitForLog(msg)
    return (line.port as number | undefined) ?? Number(new URL(String(line.address)).port)
  }

  // A client that has read everything, and one that follows all events.
  const podUrl = `http://127.0.0.1:${await portOf(pod, 'service.listening')}`
  const client = io(podUrl, { path: '/ws/v1', transports: ['websocket'], reconnection: false })
  t.teardown(() => client.disconnect())
  const seen: SocketPayment[] = []
  client.on('payment', ({ data }: { data: SocketPayment }) => void seen.push(data))
  const subscribe = (socket: typeof client, request: object): Promise<SubscribeReply & { ok: true }> =>
    socket.timeout(5_000).emitWithAck('subscribe', { trackingId: TRACKING_ID, ...request })
  const first = await subscribe(client, { since: 0 })
  t.equal(first.recovered, true)
  const streamUrl = `ws://127.0.0.1:${await portOf(api, 'http.listening')}/v1/events/stream`
  const stream = new WebSocket(streamUrl)
  t.teardown(() => stream.terminate())
  let cursor = ''
  stream.on('message', (text: Buffer) => {
    cursor = (JSON.parse(String(text)) as { cursor: string }).cursor
  })
  const streamEnd = new Promise<number>(resolve => stream.once('close', resolve))
  await new Promise(resolve => stream.once('open', resolve))

  await publish([gateway.created, userPayment.created, policy.created])
  await pay(BEFORE)
  await waitFor(() => seen.length === BEFORE, { what: 'the first payments' })
  await receiver.waitForRequests(BEFORE)
  await waitFor(() => cursor !== '', { what: 'a cursor' })
  const shared = cursor
  await pair.standbyCaughtUp()
  await pair.cutReplication()
  await pay(LOST)
  await waitFor(() => seen.length === BEFORE + LOST, { what: 'the payments that will be lost' })
  await receiver.waitForRequests(BEFORE + LOST)
  await waitFor(() => cursor !== shared, { what: 'a cursor of the lost past' })
  const before = { epoch: await epochNow(), since: BEFORE + LOST, cursor }

  const clientEnd = new Promise<string>(resolve => client.once('disconnect', resolve))
  await pair.promote()
  const promotedAt = Date.now()
  await waitFor(async () => (await epochNow()) !== before.epoch, { what: 'another epoch', timeoutMs: 20_000 })
  t.pass(`the epoch changed after ${Date.now() - promotedAt} ms`)
  await clientEnd
  t.equal(await streamEnd, 4009, 'the stream ends with OTHER_EPOCH')
  t.pass(`clients were told after ${Date.now() - promotedAt} ms`)
  t.equal(await pod.exited, 1, 'the pod ends, to be started anew')
  await pay(AFTER)

  t.test('ingest reads the lost payments again', async t => {
    await ingest.waitForLog('database.lost-commits')
    await ingest.waitForLog('reingest.done')
    await waitFor(
      async () =>
        (await ask<{ count: string }>(`select count(*) from events where name = 'PaymentRecord'`))[0]!
          .count === String(BEFORE + LOST + AFTER),
      { what: 'all payments' },
    )
    const seqs = await ask<{ seq: string }>(
      `select seq from events where name = 'PaymentRecord' order by seq`,
    )
    const allSeqs = seqs.map(({ seq }) => Number(seq))
    t.same(
      allSeqs,
      Array.from({ length: BEFORE + LOST + AFTER }, (_, index) => index + 1),
    )
    t.equal(await ingest.figure('payment_tracking_database_epoch_changes_total'), 1)
    await waitFor(
      async () =>
        (await ask<{ reingest_from: string | null }>('select reingest_from from stream_head'))[0]!
          .reingest_from === null,
      { what: 'nothing left to read again' },
    )
  })

  t.test('clients that come back are told, with an epoch and without', async t => {
    const anew = await startService(t, 'realtime', { ...common, PORT: '0' })
    const back = io(`http://127.0.0.1:${await portOf(anew, 'service.listening')}`, {
      path: '/ws/v1',
      transports: ['websocket'],
    })
    t.teardown(() => back.disconnect())
    const received = await subscribe(back, { since: before.since, epoch: before.epoch })
    t.match(received, { ok: true, recovered: false, replay: [], head: BEFORE + LOST + AFTER })
    t.not(received.epoch, before.epoch)
    const resumed = await subscribe(back, { since: before.since })
    t.match(resumed, { recovered: false }, 'it may be of the lost past')
    t.match(await subscribe(back, { since: 1 }), { recovered: true }, 'both pasts have this payment')
    const all = await subscribe(back, { since: 0, epoch: received.epoch })
    t.equal(all.replay.length, BEFORE + LOST + AFTER)
    const statusOf = async (since: string) => {
      const late = new WebSocket(`${streamUrl}?since=${since}`)
      const status = await new Promise<number | undefined>(resolve => {
        late.once('unexpected-response', (_request, response) => resolve(response.statusCode))
        late.once('open', () => resolve(undefined))
        late.on('error', () => {})
      })
      late.terminate()
      return status
    }
    t.equal(await statusOf(before.cursor), 400, 'a cursor of the lost past is refused')
    t.equal(await statusOf(shared), undefined, 'both pasts have what came before')
  })

  t.test('a webhook id has one body but for the position; every payment was delivered', async t => {
    const bodies = new Map<string, string>()
    const delivered = async () =>
      (await ask<{ count: string }>(`select count(*) from deliveries where state <> 'delivered'`))[0]!
        .count === '0'
    await waitFor(delivered, { what: 'every delivery to end' })
    for (const { headers, body: sent } of receiver.requests) {
      const id = String(headers['webhook-id'])
      const body = sent.replace(/"position":\d+,/, '')
      t.equal(bodies.get(id) ?? body, body, id)
      bodies.set(id, body)
    }
    const events = new Set(
      [...bodies.values()].map(body => (JSON.parse(body) as { data: { eventId: string } }).data.eventId),
    )
    t.equal(events.size, BEFORE + LOST + AFTER)
  })
})
