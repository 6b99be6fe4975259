// Every reader of a payment's body gets the very text that was made, whatever strangers wrote and whatever became of the event.
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { CommittedPayment } from '@payment-tracking/contracts'
import { renderPaymentMessage } from '@payment-tracking/domain'
import { addEvent, insertWebhook, SENT } from '@payment-tracking/testkit'
import fc from 'fast-check'
import t from 'tap'
import { sql } from '../../src/core/database/sql.js'
import { DELIVERY_REF } from '../../src/core/tables/delivery-rows.js'
import { logPlaced, placedOf } from '../../src/core/tables/messages.js'
import { bodyText } from '../../src/core/tables/payment-bodies.js'
import { getDelivery } from '../../src/admin/webhooks/delivery-records.js'
import { claimDeliveries } from '../../src/deliveries/claim-deliveries.js'
import { notify } from '../../src/messages/routing/notify.js'
import { readFeedPage } from '../../src/reads/feed/read-feed-page.js'
import { openTestStore } from '../open-test-store.js'

const { store, pool } = await openTestStore(t)
const BODY = bodyText('m')

const PAYMENTS = 300
const GATEWAYS = ['gateway 1', 'gateway 2', 'gateway 3']
const HOSTILE = [
  '"',
  '\\',
  '\\"',
  '%',
  '%s',
  '%1$s',
  '$1',
  '\u2028',
  '\u001f',
  '\n',
  '\t',
  '<memo>',
  '"memo":"',
  ',"recordId":1,"seq":2}}',
  'é',
  '☕',
  '\ufffd',
  "'",
]

const texts = fc
  .oneof(
    fc
      .array(fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ unit: 'binary' })), { maxLength: 6 })
      .map(parts => parts.join('')),
    fc.constantFrom('order-1', '""', '"'.repeat(64), '%'.repeat(64), '\u001f'.repeat(64)),
  )
  .map(text => Buffer.from(text.replaceAll('\0', '')).toString('utf8', 0, 64))
const u64s = fc.oneof(fc.bigInt(0n, 2n ** 64n - 1n), fc.constantFrom(0n, 2n ** 64n - 1n)).map(String)
const keys = fc.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{43,44}$/)
const known = fc.option(keys, { nil: null })

const payments = fc.record({
  eventId: fc.uuid(),
  trackingId: fc.option(
    texts.filter(text => text !== ''),
    { nil: null },
  ),
  seq: fc.option(fc.integer({ min: 1 }), { nil: null }),
  signature: fc.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{87,88}$/),
  slot: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
  occurredAt: fc.integer({ min: 0, max: 4e12 }).map(at => new Date(at).toISOString()),
  paidAt: fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n).map(String),
  paymentPolicy: keys,
  gateway: fc.constantFrom(...GATEWAYS),
  amount: u64s,
  recordId: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  recipient: known,
  payer: known,
  tokenMint: known,
  memo: fc.option(texts, { nil: undefined }),
})

/** Stores the event of a payment, with the columns that can still be written in another state than that of the payment. */
const storeEvent = ({ eventId, position, signature, paymentPolicy }: CommittedPayment) =>
  addEvent(pool, {
    id: eventId,
    position,
    signature,
    payment_policy: paymentPolicy,
    gateway: 'another gateway',
    recipient: 'another recipient',
    payer: 'another payer',
    token_mint: 'another mint',
    tracking_id: 'another order',
    seq: position,
    slot: 1,
    amount: 1,
  })

t.test('a body is read as it was made, by every reader', async t => {
  const made: CommittedPayment[] = fc
    .sample(payments, { numRuns: PAYMENTS, seed: 1 })
    .map(({ memo, ...payment }, at) => ({
      ...payment,
      position: String(at + 1),
      ...(memo !== undefined && { memo }),
    }))
  for (const payment of made) await storeEvent(payment)
  for (const gateway of GATEWAYS) await insertWebhook(pool, gateway)
  await pool.query('update stream_head set position = $1', [PAYMENTS])
  const refs = await store.database.transaction(tx =>
    notify(tx, { payments: made, lifecycles: [], isFinal: () => true }),
  )
  const bodies = new Map(
    made.map(payment => [renderPaymentMessage(payment).id, renderPaymentMessage(payment).body]),
  )
  t.equal(refs.length, PAYMENTS)

  const { rows } = await pool.query<{ form: number; count: number }>(
    'select form, count(*)::int as count from messages group by form order by form',
  )
  t.strictSame(
    rows.map(({ form, count }) => [form, count]),
    [true, false].map((tracked, at) => [
      at + 1,
      made.filter(({ trackingId }) => (trackingId !== null) === tracked).length,
    ]),
    'each has the form of its memo',
  )

  const sent = await pool.query<{ message_id: string; body: string }>(
    `select message_id, body from ${SENT} d`,
  )
  for (const { message_id, body } of sent.rows) t.equal(body, bodies.get(message_id))
  t.strictSame(await store.database.read(sql`select ${DELIVERY_REF} from deliveries d order by d.id`), refs)

  for (const { id, webhookId } of refs) {
    const read = (await getDelivery(store, webhookId, id))!
    t.equal(read.body, bodies.get(read.messageId))
  }
  const claims = await claimDeliveries(
    store,
    refs.map(({ id }) => String(id)),
    60_000,
  )
  for (const claim of claims) {
    if (claim.kind === 'claimed') t.equal(claim.delivery.body, bodies.get(claim.delivery.messageId))
    else t.fail(claim.kind)
  }
  for (const gateway of GATEWAYS) {
    const page = await readFeedPage(store, {
      gateway,
      types: ['payment.executed'],
      after: null,
      limit: PAYMENTS,
    })
    if (typeof page === 'string') throw new Error(page)
    const own = made.filter(payment => payment.gateway === gateway)
    t.strictSame(
      page.bodies,
      own.map(payment => renderPaymentMessage(payment).body),
    )
  }
})

t.test('a gateway whose hash another gateway has reads its own payments alone', async t => {
  const { text, values } = sql`select distinct m.gateway from messages m where ${placedOf(GATEWAYS[0]!)}`
  // As if all gateways had one hash.
  const colliding = text.replaceAll(/hashtextextended\(([^,]*), 0\)/g, '($1::text is not null)')
  t.not(colliding, text)
  const { rows } = await pool.query(colliding, values)
  t.same(rows, [{ gateway: GATEWAYS[0] }])
})

const PAYER = 'Hc4kyTkVYJbFVgZPMZH4E3Nd1n2AUbDFsUBbBGW6Aqio'
const [SIGNATURE, POLICY, GATEWAY] = ['3igVrZ2WgU', '5pnYc2zcTH', '9hTQyHTSg5']
/** As rows that are stored already have it. A form that gives another text than this is another form, with the next number. */
const STORED = [
  {
    form: 1,
    position: '1001',
    eventId: '00000000-0000-4000-8000-000000001001',
    kept: [
      '2026-11-20T10:00:00.000Z',
      '"a \\"1\\" %s"',
      '401',
      '1763632800',
      'null',
      `"${PAYER}"`,
      'null',
      '18446744073709551615',
      '7',
      '3',
    ],
    body: `{"id":"msg_1","type":"payment.executed","timestamp":"2026-11-20T10:00:00.000Z","position":1001,"data":{"trackingId":"a \\"1\\" %s","eventId":"00000000-0000-4000-8000-000000001001","signature":"${SIGNATURE}","slot":401,"timestamp":1763632800,"paymentPolicy":"${POLICY}","gateway":"${GATEWAY}","recipient":null,"payer":"${PAYER}","tokenMint":null,"amount":18446744073709551615,"amountString":"18446744073709551615","memo":"a \\"1\\" %s","recordId":7,"seq":3}}`,
  },
  {
    form: 2,
    position: '1002',
    eventId: '00000000-0000-4000-8000-000000001002',
    kept: [
      '2026-11-20T10:00:00.000Z',
      '402',
      '1763632800',
      `"${PAYER}"`,
      'null',
      'null',
      '1',
      '"thanks"',
      '8',
      'null',
    ],
    body: `{"id":"msg_2","type":"payment.executed","timestamp":"2026-11-20T10:00:00.000Z","position":1002,"data":{"trackingId":null,"eventId":"00000000-0000-4000-8000-000000001002","signature":"${SIGNATURE}","slot":402,"timestamp":1763632800,"paymentPolicy":"${POLICY}","gateway":"${GATEWAY}","recipient":"${PAYER}","payer":null,"tokenMint":null,"amount":1,"amountString":"1","memo":"thanks","recordId":8,"seq":null}}`,
  },
]

t.test('what a form has stored is read as ever, by later releases too', async t => {
  for (const { form, position, eventId, kept, body } of STORED) {
    await addEvent(pool, { id: eventId, position, signature: SIGNATURE, payment_policy: POLICY })
    await pool.query(
      `insert into messages (id, gateway, position, sequence, type, message_id, event_id, form, body)
       values ($1, $2, $1, 0, 'payment.executed', $3, $4, $5, $6)`,
      [position, GATEWAY, `msg_${form}`, eventId, form, kept.join('\u001f')],
    )
    const { rows } = await pool.query<{ body: string }>(
      `select body from (select ${BODY} as body from messages m where id = $1) m`,
      [position],
    )
    t.equal(rows[0]!.body, body)
  }
})

t.test('a body that no form gives is kept whole', async t => {
  const { body } = STORED[0]!
  const others = [
    body.replace('1001', '1003'),
    body.replace('"seq":3', '"seq": 3'),
    body.replace('"memo":"a', '"memo":"b'),
    `${body}\u001f`,
    '{}',
  ]
  const messages = others.map((other, at) => ({
    id: 'msg_1',
    type: 'payment.executed',
    body: other,
    gateway: GATEWAY,
    eventId: STORED[0]!.eventId,
    position: String(2001 + at),
  }))
  await store.database.transaction(async tx => {
    await logPlaced(tx, messages)
    await tx.$executeRaw`select 1`
  })
  const { rows } = await pool.query('select form, body from messages where id > 2000 order by id')
  t.strictSame(
    rows,
    others.map(other => ({ form: null, body: other })),
  )
})

t.test('no body is read whose event is missing', async t => {
  await pool.query('delete from events where position = $1', [STORED[0]!.position])
  await t.rejects(pool.query(`select ${BODY} from messages m where id = $1`, [STORED[0]!.position]), {
    message: /too few arguments/,
  })
})

t.test('no statement changes what a body takes from its event', async t => {
  const folder = fileURLToPath(new URL('../../src/', import.meta.url))
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    name => name.endsWith('.ts') && !name.startsWith('generated'),
  )
  const texts = files.map(name => readFileSync(folder + name, 'utf8'))
  const changes = texts.flatMap(text =>
    [...text.matchAll(/update events e?\s+set ([^`]*?)\s(?:from|where)\s/g)].map(([, set]) => set!),
  )
  t.ok(changes.length >= 6)
  for (const set of changes) t.notMatch(set, /\b(?:signature|payment_policy|position|id) =/)
  t.notOk(texts.some(text => /delete from events\b|\.event\.(?:update|delete|upsert)/.test(text)))
})
