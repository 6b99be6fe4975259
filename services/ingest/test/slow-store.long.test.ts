// Symptom: while Postgres was slow, each message that waited in ingest was delivered again after each ack wait, and waited
// another time: 500 messages became 7,782, memory grew with the outage, and the end of the outage was not the end of it.
// In one process with others: what tests load.
import { subjectOf } from '@payment-tracking/contracts'
import {
  countRows,
  buildChain,
  findArrivalProblems,
  startService,
  useEnvironment,
  waitFor,
} from '@payment-tracking/testkit'
import t from 'tap'

const PAYMENTS = 300
/** Ingest holds at most 20 batches of 10 messages. */
const HELD = 200
/** Reading begins again after 6 s of silence at the latest. */
const REDELIVERIES = 8

t.test('what waits for a slow Postgres is read once, and reading does not begin again', async t => {
  const { database, nats, settings } = await useEnvironment(t)
  const manager = await nats.connection.jetstreamManager()
  await nats.addStream()
  const ingest = await startService(t, 'ingest', {
    ...settings,
    LOG_LEVEL: 'debug',
    'ingest.ackWaitMs': '1000',
    'ingest.batchSize': '10',
  })
  const chain = buildChain({ seed: 'slow' })
  const [gateway, userPayment] = [await chain.openGateway(), await chain.openUserPayment()]
  const policy = await chain.openPolicy(gateway, userPayment, { trackingId: 'slow' })
  const messages = [gateway.created, userPayment.created, policy.created]
  for (let payment = 0; payment < PAYMENTS; payment++) messages.push(chain.pay(policy))

  const writer = await database.pool.connect()
  t.teardown(() => writer.release(true))
  await writer.query('begin')
  await writer.query('select from stream_head for update')
  for (const message of messages) {
    const subject = subjectOf(nats.subjectPrefix, message.event_name)
    await nats.jetstream.publish(subject, JSON.stringify(message))
  }
  const check = () => manager.consumers.info(nats.stream, 'ingest')
  await waitFor(async () => (await check()).delivered.consumer_seq >= HELD * (1 + REDELIVERIES), {
    what: 'redeliveries for longer than the longest silence',
    timeoutMs: 60_000,
  })
  await writer.query('rollback')
  const isAllAcknowledged = async () => {
    const { num_pending: unread, num_ack_pending: inFlight } = await check()
    return unread + inFlight === 0
  }
  await waitFor(isAllAcknowledged, { what: 'all to be acknowledged', timeoutMs: 60_000 })

  t.equal(await countRows(database.pool, 'events'), messages.length)
  t.strictSame(await findArrivalProblems(database.pool), [])
  const committed = ingest.logs.filter(({ msg }) => msg === 'batch.committed')
  const handled = committed.reduce((sum, line) => sum + Number(line.messages), 0)
  // What is delivered again while its acknowledgement is on its way is handled twice.
  t.ok(handled < messages.length + HELD, `${messages.length} messages, ${handled} handled`)
  const troubles = ['bus.consumer-lost', 'bus.consume-interrupted', 'batch.failed']
  const troubled = ingest.logs.filter(({ msg }) => troubles.includes(msg))
  t.strictSame(troubled, [])
  t.equal(await ingest.stop(), 0)
})
