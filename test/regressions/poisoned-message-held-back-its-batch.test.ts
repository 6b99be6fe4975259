// An error that nobody had foreseen, for one message or one result, sent its whole set back, again and again: nothing
// that arrived together with it was ever stored.
import { subjectOf } from '@payment-tracking/contracts'
import {
  countRows,
  openReceiver,
  readFixtureMessages,
  startService,
  useEnvironment,
  waitFor,
} from '@payment-tracking/testkit'
import t from 'tap'
import { openRig } from '../../services/webhook-worker/test/support/start-worker.js'

/** As a fault of ours would look: no class of SQLSTATE that means an outage or a refused value. */
const FAULT = `create function fault() returns trigger language plpgsql as $$
  begin raise exception 'nobody foresaw this'; end $$`

t.test('one message that cannot be stored becomes a dead letter, all others are stored', async t => {
  const { database, nats, settings } = await useEnvironment(t)
  const payments = (await readFixtureMessages())
    .filter(bytes => Buffer.from(bytes).includes('"tributary_PaymentRecord"'))
    .slice(0, 40)
  const poison = payments[17]!
  const { signature } = JSON.parse(Buffer.from(poison).toString()) as { signature: string }
  await database.pool.query(FAULT)
  await database.pool.query(
    `create trigger fault before insert on events for each row when (new.signature = '${signature}')
     execute function fault()`,
  )
  await nats.addStream()
  for (const bytes of payments)
    await nats.jetstream.publish(subjectOf(nats.subjectPrefix, 'PaymentRecord'), bytes)
  const ingest = await startService(t, 'ingest', settings)
  const lag = () => ingest.figure('payment_tracking_ingest_lag_messages')
  await waitFor(async () => (await lag()) === 0, { what: 'every message to be acknowledged' })
  const { rows: letters } = await database.pool.query<{ code: string; reason: string; bytes: Buffer }>(
    `select code, reason, bytes from dead_letters where code = 'INGEST_FAULT'`,
  )
  t.match(letters, [{ code: 'INGEST_FAULT', reason: /nobody foresaw this/ }])
  t.ok(letters[0]?.bytes.equals(poison), 'with its bytes')
  const count = (what: string) => countRows(database.pool, what)
  t.equal((await count('events')) + (await count('dead_letters')), payments.length)
})

t.test('one result that cannot be written keeps no other from being written', async t => {
  const rig = await openRig(t)
  const receiver = await openReceiver(t)
  // They end together, so that their results are one set.
  receiver.answer({ status: 200, body: 'thank you', delayMs: 300 })
  const { gateway } = await rig.addWebhook(receiver.url)
  const refs = await rig.pay(gateway, 4, { enqueue: false })
  const poisoned = refs[1]!.id
  await rig.database.pool.query(FAULT)
  await rig.database.pool.query(
    `create trigger fault before update on delivery_attempts for each row
     when (new.delivery_id = ${poisoned} and new.outcome = 'accepted') execute function fault()`,
  )
  // Long enough that no claim ends while results are written.
  const worker = await rig.startWorker({
    WEBHOOK_TIMEOUT_MS: '1000',
    'webhook-worker.claimMarginMs': '3000',
  })
  await rig.queue.enqueueDeliveries(refs)
  await rig.waitForStates({ delivered: 3, pending: 1 })
  await worker.waitForLog('delivery.result-lost', line => line.deliveryId === String(poisoned))
  // Four claims end meanwhile, of 4 s each.
  await rig.waitForStates({ delivered: 3, failed: 1 }, { timeoutMs: 90_000 })
  t.equal(receiver.requests.length, 3 + 4, 'the poisoned one spent its tries, the others were sent once')
})
