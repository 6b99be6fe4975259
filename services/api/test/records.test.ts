// Records are JSON text that Postgres writes: they have the fields of their schemas, whatever a stranger wrote into a
// memo, and the tag of a page changes with every byte of the page.
import { schemaProblem } from '@payment-tracking/runtime'
import t from 'tap'
import { EventRecord } from '../src/events/event-record.js'
import { PaymentRecord } from '../src/payments/one-time-payment.js'
import { fillFromFixtures } from './fill-from-fixtures.js'
import { openApi } from './open-api.js'

const MINT = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
const api = await openApi(t, { RATE_LIMIT_MAX: '100000' })
await fillFromFixtures(api.store)
const { pool } = api.database
const { rows: found } = await pool.query<{ id: string; slot: string; tracking_id: string; gateway: string }>(
  `select id, slot, tracking_id, gateway from events
    where name = 'PaymentRecord' and seq is not null and retracted_at is null order by position limit 1`,
)
const payment = found[0]!

type Fields = Record<string, unknown>
const read = async (path: string) => {
  const { headers, payload, statusCode } = await api.app.inject(path)
  t.equal(statusCode, 200, path)
  return { tag: headers.etag, text: payload.replace(/,"timestamp":\d+\}$/, '}') }
}
const onetime = (trackingId: string) => `/v1/onetime/${encodeURIComponent(trackingId)}?retracted=true`
const listOf = (data: Fields | Fields[]): Fields[] => (Array.isArray(data) ? data : [data])

t.test('every record has the fields of its schema, of the right types', async t => {
  await pool.query('update events set token_mint = $1 where id = $2', [MINT, payment.id])
  const seen = new Set<string>()
  for (const query of ['limit=1000&retracted=true', 'limit=1000']) {
    for (const record of JSON.parse((await read(`/v1/events?${query}`)).text) as Fields[]) {
      t.equal(schemaProblem(EventRecord, record), null, String(record.id))
      for (const name of Object.keys(record)) seen.add(name)
    }
  }
  t.strictSame([...seen].sort(), Object.keys(EventRecord.properties).sort(), 'and no other fields')
  const { rows } = await pool.query<{ id: string }>('select tracking_id as id from trackings')
  const seenOfPayments = new Set<string>()
  for (const { id } of rows) {
    const { data } = JSON.parse((await read(onetime(id))).text) as { data: Fields | Fields[] }
    for (const record of listOf(data)) {
      t.equal(schemaProblem(PaymentRecord, record), null, id)
      for (const name of Object.keys(record)) seenOfPayments.add(name)
    }
  }
  t.strictSame([...seenOfPayments].sort(), Object.keys(PaymentRecord.properties).sort(), 'no other fields')
})

t.test('a memo that JSON must escape stays the same text', async t => {
  for (const memo of [`a"b\\c\n\u0001'`, '{"id":"x"},', '☕ é 😀', "'; drop table events --"]) {
    await pool.query('update events set tracking_id = $1 where id = $2', [memo, payment.id])
    const { data } = JSON.parse((await read(onetime(memo))).text) as { data: Fields }
    t.match(data, { trackingId: memo, memo, eventId: payment.id })
    const [record] = JSON.parse(
      (await read(`/v1/events?trackingId=${encodeURIComponent(memo)}`)).text,
    ) as Fields[]
    t.match(record, { trackingId: memo, id: payment.id })
  }
  await pool.query('update events set tracking_id = $1 where id = $2', [payment.tracking_id, payment.id])
})

t.test('times have milliseconds, whatever the year and the time zone of Postgres', async t => {
  const { rows } = await pool.query<{ occurred_at: Date }>('select occurred_at from events where id = $1', [
    payment.id,
  ])
  for (const time of [
    '0001-01-01T00:00:00.000Z',
    '1969-12-31T23:59:59.999Z',
    '2026-03-29T01:30:00.120Z',
    '9999-12-31T23:59:59.999Z',
  ]) {
    await pool.query('update events set occurred_at = $1::timestamptz where id = $2', [time, payment.id])
    const records = JSON.parse((await read(`/v1/events?trackingId=${payment.tracking_id}`)).text) as Fields[]
    t.equal(records.find(({ id }) => id === payment.id)?.timestamp, time)
  }
  await pool.query('update events set occurred_at = $1 where id = $2', [rows[0]!.occurred_at, payment.id])
})

t.test('a 304 kept other amounts on a page after commits were lost', async t => {
  const isKept = async (url: string, tag: unknown) =>
    (await api.app.inject({ url, headers: { 'if-none-match': String(tag) } })).statusCode === 304
  const pages = ['/v1/events/policies/created?limit=1000', onetime(payment.tracking_id)]
  const tags = await Promise.all(pages.map(async url => (await read(url)).tag))
  for (const [at, url] of pages.entries()) t.ok(await isKept(url, tags[at]), url)
  // Other events get the same positions.
  await pool.query('update stream_head set epoch = gen_random_uuid()')
  await pool.query('update events set amount = amount + 1 where id = $1', [payment.id])
  await pool.query(`update events set data = '{"amount":7}' where name = 'PaymentPolicyCreated'`)
  for (const [at, url] of pages.entries()) t.notOk(await isKept(url, tags[at]), url)
})

t.test('the tag of a page changes with the page, and only with it', async t => {
  const pages = [
    '/v1/events?limit=1000',
    '/v1/events?limit=1000&retracted=true',
    `/v1/events/payments?gateway=${payment.gateway}&limit=1000`,
    onetime(payment.tracking_id),
  ]
  const set = (assignment: string) =>
    pool.query(`update events set ${assignment} where id = $1`, [payment.id])
  const changes: Record<string, () => Promise<unknown>> = {
    'its slot becomes final': () => pool.query('update stream_head set finalized_slot = $1', [payment.slot]),
    'finality is taken back': () => pool.query('update stream_head set finalized_slot = 0'),
    'a message says that it is final': () => set(`commitment = 'finalized'`),
    'the chain takes it back': () => set('retracted_at = now()'),
    'the chain holds it again': () => set('retracted_at = null'),
    'its recipient becomes known': () => set(`recipient = 'R' || coalesce(recipient, '')`),
    'its payer becomes known': () => set(`payer = 'P' || coalesce(payer, '')`),
    'its token becomes known': () => set(`token_mint = '${MINT}x'`),
    'its token is one that is shown': () => set(`token_mint = '${MINT}'`),
    'its number changes': () => set('seq = seq + 1000'),
    'two details are exchanged': () => set('recipient = payer, payer = recipient'),
  }
  for (const [change, make] of Object.entries(changes)) {
    const before = await Promise.all(pages.map(read))
    await make()
    const after = await Promise.all(pages.map(read))
    for (const [at, page] of pages.entries()) {
      const isSame = before[at]!.text === after[at]!.text
      t.equal(before[at]!.tag === after[at]!.tag, isSame, `${change}: ${page}`)
    }
    const isChanged = before.some(({ text }, at) => text !== after[at]!.text)
    t.ok(isChanged, `${change}: a page changed`)
  }
})
