// What passed while an endpoint was off is sent to it, whoever is killed meanwhile, and nobody else waits.
import { beginReplay, readReplay } from '@payment-tracking/store/deliveries'
import { updateWebhook } from '@payment-tracking/store/admin'
import { countRows, FILL_MESSAGES, openReceiver, waitFor } from '@payment-tracking/testkit'
import t from 'tap'
import { openRig, type Rig } from './support/start-worker.js'

const SINCE = { since: new Date(Date.now() - 86_400_000), until: null, types: null }

/** Stores payments of a gateway as ingest does where it has no active endpoint. */
async function store(rig: Rig, gateway: string, count: number): Promise<void> {
  const { pool } = rig.database
  await pool.query(
    `insert into events (id, position, slot, signature, event_index, name, data, commitment, occurred_at, fingerprint, stream_sequence,
                         gateway, payment_policy, amount, paid_at, record_id, tracking_id, seq)
     select gen_random_uuid(), n, n, 'signature ' || n, 0, 'PaymentRecord', '{}', 'confirmed', now(), gen_random_uuid(), n, $1,
            '11111111111111111111111111111111', n, 1, 0, 'order-' || n, 1 from generate_series(1, $2::int) n`,
    [gateway, count],
  )
  await pool.query('insert into ingest_batches (first_position, last_position) values (1, $1)', [count])
  await pool.query(FILL_MESSAGES)
  await pool.query('update stream_head set position = $1', [count])
}

const turnOffAndOn = async (rig: Rig, gateway: string, id: bigint, meanwhile: () => Promise<void>) => {
  await updateWebhook(rig.store, gateway, id, { active: false })
  await meanwhile()
  await updateWebhook(rig.store, gateway, id, { active: true })
}

const ordersOf = (requests: readonly { body: string }[]): string[] =>
  requests.map(({ body }) => (JSON.parse(body) as { data: { trackingId: string } }).data.trackingId)

t.test('4,000 payments reach it, none is made twice, and another endpoint overtakes them', async t => {
  const MANY = 4_000
  const rig = await openRig(t)
  const { pool } = rig.database
  const [receiver, besides] = [await openReceiver(t), await openReceiver(t)]
  const { id, gateway } = await rig.addWebhook(receiver.url)
  const beside = await rig.addWebhook(besides.url)
  await turnOffAndOn(rig, gateway, id, () => store(rig, gateway, MANY))
  await beginReplay(rig.store, id, SINCE)
  const killed = await rig.startWorker()
  await receiver.waitForRequests(500, { timeoutMs: 120_000 })
  await killed.stop('SIGKILL')
  t.equal((await readReplay(rig.store, id))?.endedAt, null, 'it was under way')
  // What the dead worker had taken is free for the next one.
  await pool.query(`update work set next_at = now() where next_at < 'infinity'`)
  await pool.query('update deliveries set claimed_until = now() where claimed_until is not null')
  await rig.startWorker()
  const before = receiver.requests.length
  await receiver.waitForRequests(before + 100, { timeoutMs: 120_000 })
  await rig.pay(beside.gateway, 50)
  await besides.waitForRequests(50, { timeoutMs: 120_000 })
  t.ok(receiver.requests.length < MANY, `50 of another went by after ${receiver.requests.length} of ${MANY}`)
  const count = (state: string) =>
    countRows(pool, 'deliveries where webhook_id = $1 and state = $2', [id, state])
  await waitFor(async () => (await count('delivered')) === MANY, { what: 'all', timeoutMs: 300_000 })
  await waitFor(async () => (await readReplay(rig.store, id))!.endedAt !== null, { what: 'the end' })
  t.match(await readReplay(rig.store, id), { looked: MANY, share: 1 })
  const { rows } = await pool.query(
    'select count(*)::int as made, count(distinct event_id)::int as events from deliveries where webhook_id = $1',
    [id],
  )
  t.same(rows, [{ made: MANY, events: MANY }])
  t.equal(new Set(ordersOf(receiver.requests)).size, MANY, 'each payment came')
  t.ok(receiver.requests.length - MANY <= 64, 'only what was on its way in the killed worker came again')
  const others = await pool.query(
    'select distinct attempts_made, state from deliveries where webhook_id = $1',
    [beside.id],
  )
  t.same(others.rows, [{ attempts_made: 1, state: 'delivered' }])
})
