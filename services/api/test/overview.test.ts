// `GET /v1/overview`: the figures of the first page.
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { buildChain } from '@payment-tracking/testkit'
import t from 'tap'
import { openApi } from './open-api.js'
import { storeMessages } from './store-messages.js'

const NOW = 1_795_000_000_000
const HOUR = 3_600_000
const MINT = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
/** the time on the chain of the next message */
let clock = NOW
const chain = buildChain({ seed: 'overview', now: () => clock })
const gateway = await chain.openGateway()
const userPayment = await chain.openUserPayment(MINT)
const policy = await chain.openPolicy(gateway, userPayment, { trackingId: 'order', amount: 2n ** 63n })

const payAt = (time: number) => {
  clock = time
  return chain.pay(policy)
}

let now = NOW
const api = await openApi(t, {}, () => now)

t.test('an empty service answers with zeros and gaps', async t => {
  const { status, body } = await api.get('/v1/overview')
  t.equal(status, 200)
  t.match(body, {
    asOf: new Date(NOW).toISOString(),
    knownSince: null,
    lastMinute: { count: 0, complete: true },
    byToken: [],
    before: { count: 0, byToken: [] },
    finalizedSlot: null,
    delays: { measured: 0, toStored: { p50: null, p95: null }, toAnnounced: { p50: null, p95: null } },
  })
  t.equal(body.hours.length, 24)
  t.ok(body.hours.every(({ count }: { count: number }) => count === 0))
})

t.test('payments are counted by their time on the chain, of all gateways or of one', async t => {
  await storeMessages(
    api,
    ...[gateway.created, userPayment.created, policy.created],
    ...[payAt(NOW - 30_000), payAt(NOW - 59_000), payAt(NOW - 61_000)],
    ...[payAt(NOW - 5 * HOUR), payAt(NOW - 25 * HOUR)],
  )
  await api.database.pool.query(
    `update ingest_batches set committed_at = to_timestamp(${NOW / 1000}), relayed_at = to_timestamp(${(NOW + 50) / 1000})`,
  )
  for (const query of ['', `?gateway=${gateway.address}`]) {
    const { body, text } = await api.get(`/v1/overview${query}`)
    t.match(body.lastMinute, { count: 2, complete: true })
    t.equal(body.knownSince, new Date(NOW - 25 * HOUR).toISOString(), 'what is older is not known')
    const counts = body.hours.map(({ count }: { count: number }) => count)
    const counted = counts.reduce((sum: number, count: number) => sum + count, 0)
    t.equal(counted, 4, 'the payment of the day before is not of these hours')
    t.equal(counts.at(-6), 1)
    t.match(body.before, { count: 1, byToken: [{ tokenMint: MINT, count: 1 }] }, 'the day before')
    t.equal(body.finalizedSlot, null, 'nothing follows a chain')
    t.match(body.byToken, [{ tokenMint: MINT, count: 4 }])
    t.match(text, `"totalAmount":${4n * 2n ** 63n}`, 'exact beyond 64 bits')
    t.match(
      body.delays,
      { measured: 3, toStored: { p50: 59_000 }, toAnnounced: { p50: 59_050 } },
      'of the last hour: what was late before is no issue of now',
    )
  }
  // An old batch that is still there must not count for payments whose batch is gone.
  await api.database.pool.query('delete from ingest_batches')
  await api.database.pool.query(
    'insert into ingest_batches (first_position, last_position, relayed_at) values (0, 0, now())',
  )
  t.match((await api.get('/v1/overview')).body.delays, { measured: 0, toStored: { p50: null } })
  const { body: none } = await api.get('/v1/overview?gateway=11111111111111111111111111111111')
  t.match(none, { lastMinute: { count: 0 }, byToken: [], delays: { measured: 0 } })
  t.match(await api.get('/v1/overview?gateway=nobody'), { status: 400, body: { code: 'INVALID_PARAMETER' } })
})

t.test('all who ask within a second ask equal statements, which the store shares', async t => {
  const ask = async (ms: number, query = '') => {
    now = NOW + ms
    const sent: unknown[] = []
    // The service asks by itself where the stream ends, whoever else asks.
    const record = (statement: unknown) => {
      if (!(statement as { text: string }).text.includes('epoch, position from stream_head'))
        sent.push(statement)
    }
    subscribe('payment-tracking:store:statement', record)
    await api.get(`/v1/overview${query}`)
    unsubscribe('payment-tracking:store:statement', record)
    return sent
  }
  const first = await ask(0)
  t.ok(first.length >= 5)
  t.same(await ask(999), first)
  t.notSame(await ask(1_000), first)
  t.notSame(await ask(0, `?gateway=${gateway.address}`), first)
})
