// A row of `events` holds less of a payment's data than came. What is read is what came, to the byte.
import { DEFAULT_PROGRAM_ID } from '@payment-tracking/contracts'
import { DIRECT_TRANSFER_POLICY, readMessage, type ChainEvent } from '@payment-tracking/domain'
import { buildBatch, readFixtureMessages, readSecondFixtures } from '@payment-tracking/testkit'
import fc from 'fast-check'
import t from 'tap'
import { sql } from '../../src/core/database/sql.js'
import { readCommittedPayments } from '../../src/core/tables/committed-payments.js'
import { DATA_TEXT, IS_COMPACT, MEMO, writeData } from '../../src/core/tables/payment-data.js'
import { readStored, STORED_COLUMNS, type StoredRow } from '../../src/core/tables/stored-events.js'
import { readMonth } from '../../src/ingest/archive/read-old-events.js'
import { commitBatch } from '../../src/ingest/batch/commit-batch.js'
import { readEventPage } from '../../src/reads/lists/list-events.js'
import { openTestStore } from '../open-test-store.js'

const MEMO_BYTES = 64
const ROWS = 400

type Fields = [name: string, value: string][]

const quoted = fc.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/).map(key => `"${key}"`)
const u64 = fc.bigInt(0n, 2n ** 64n - 1n)
const i64 = fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n)
const byte = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 255 }))
/** Any bytes, with zeros at its end and inside; mostly of the usual length. */
const memo = fc
  .tuple(
    fc.array(byte, { maxLength: MEMO_BYTES }),
    fc.oneof({ weight: 8, arbitrary: fc.constant(MEMO_BYTES) }, fc.integer({ min: 0, max: 70 })),
  )
  .map(([bytes, length]) => Array.from({ length }, (_, at) => bytes[at] ?? 0))

const payments = fc.record({
  policy: fc.oneof(quoted, fc.constant(`"${DIRECT_TRANSFER_POLICY}"`)),
  gateway: quoted,
  amount: fc.oneof(u64, fc.constantFrom(0n, 2n ** 64n - 1n)),
  paidAt: fc.oneof(i64, fc.constantFrom(0n, -1n, -(2n ** 63n))),
  recordId: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  memo,
  details: fc.option(fc.tuple(quoted, quoted, quoted), { freq: 2 }),
})
type Payment = typeof payments extends fc.Arbitrary<infer Drawn> ? Drawn : never

const usualFields = ({ policy, gateway, amount, paidAt, memo, recordId, details }: Payment): Fields => [
  ['payment_policy', policy],
  ['gateway', gateway],
  ['amount', `"${amount}"`],
  ['timestamp', `"${paidAt}"`],
  ['memo', `[${memo.join()}]`],
  ['record_id', String(recordId)],
  ...(details === null
    ? []
    : (['payer', 'recipient', 'token_mint'] as const).map((name, at): Fields[0] => [name, details[at]!])),
]
const textOf = (fields: Fields, [colon, comma] = [':', ',']): string =>
  `{${fields.map(([name, value]) => `"${name}"${colon}${value}`).join(comma)}}`
const set = (fields: Fields, name: string, change: (value: string) => string): Fields =>
  fields.map(field => (field[0] === name ? [name, change(field[1])] : field))
const without = (fields: Fields, name: string): Fields => fields.filter(([other]) => other !== name)

/** Ways to write the data. Each text is valid JSON. */
const FORMS: Readonly<Record<string, (payment: Payment, fields: Fields) => string>> = {
  usual: (_, fields) => textOf(fields),
  'other order': (_, fields) => textOf(fields.toReversed()),
  'two swapped': (_, fields) => textOf([fields[1]!, fields[0]!, ...fields.slice(2)]),
  'numbers for texts': ({ amount, paidAt }, fields) =>
    textOf(
      set(
        set(fields, 'amount', () => String(amount)),
        'timestamp',
        () => String(paidAt),
      ),
    ),
  'a text for a number': (_, fields) => textOf(set(fields, 'record_id', id => `"${id}"`)),
  'space behind colons': (_, fields) => textOf(fields, [': ', ',']),
  'space behind commas': (_, fields) => textOf(fields, [':', ', ']),
  'space around': (_, fields) => ` ${textOf(fields)} `,
  'space in the memo': ({ memo }, fields) => textOf(set(fields, 'memo', () => `[${memo.join(', ')}]`)),
  'one field twice': (_, fields) => textOf([...fields, ['amount', '"1"']]),
  'the memo twice': (_, fields) => textOf([...fields, ['memo', '[1]']]),
  'an escape': (_, fields) => textOf(set(fields, 'gateway', text => text.replace(/"./, '"\\u0041'))),
  'an escaped quote': (_, fields) => textOf(set(fields, 'gateway', text => text.replace(/"./, '"\\"'))),
  'an escaped NUL': (_, fields) => textOf([...fields, ['note', '"a\\u0000b"']]),
  'an unknown field': (_, fields) => textOf([...fields, ['fee', '"7"']]),
  'an unknown field first': (_, fields) => textOf([['fee', '7'], ...fields]),
  'leading zeros': ({ amount }, fields) => textOf(set(fields, 'amount', () => `"00${amount}"`)),
  'leading zeros of the time': ({ paidAt }, fields) =>
    textOf(set(fields, 'timestamp', () => `"${String(paidAt).replace(/\d/, '00$&')}"`)),
  'minus zero': (_, fields) => textOf(set(fields, 'timestamp', () => '"-0"')),
  'a plus': ({ amount }, fields) => textOf(set(fields, 'amount', () => `"+${amount}"`)),
  'another amount': ({ amount }, fields) => textOf(set(fields, 'amount', () => `"${amount + 1n}"`)),
  'another policy': (_, fields) => textOf(set(fields, 'payment_policy', text => text.replace(/.$/, 'x"'))),
  'another id': ({ recordId }, fields) => textOf(set(fields, 'record_id', () => `${recordId + 1}`)),
  'an exponent': (_, fields) => textOf(set(fields, 'memo', text => text.replace(/\d+/, '1e1'))),
  'a text in the memo': (_, fields) => textOf(set(fields, 'memo', text => text.replace(/\d+/, '"1"'))),
  'no payer': (_, fields) => textOf(without(fields, 'payer')),
  'no mint': (_, fields) => textOf(without(fields, 'token_mint')),
  'null for the payer': (_, fields) => textOf(set(fields, 'payer', () => 'null')),
  'no memo': (_, fields) => textOf(without(fields, 'memo')),
}

const formed = fc.tuple(
  payments,
  fc.oneof({ weight: 2, arbitrary: fc.constant('usual') }, fc.constantFrom(...Object.keys(FORMS))),
)
const bare = (text: string): string => text.slice(1, -1)

t.test('data of every form are read as they came, and the usual form is stored in few bytes', async t => {
  const { store } = await openTestStore(t)
  const seen = { whole: 0, compact: 0 }
  const holds = fc.asyncProperty(fc.array(formed, { minLength: ROWS, maxLength: ROWS }), async drawn => {
    const rows = drawn.map(([payment, form]) => {
      const data = FORMS[form]!(payment, usualFields(payment))
      const [paymentPolicy, gateway] = [bare(payment.policy), bare(payment.gateway)]
      const { amount, paidAt, recordId } = payment
      const effect = { kind: 'payment', amount, paidAt, recordId }
      const written = writeData({ data, paymentPolicy, gateway, effect } as unknown as ChainEvent)
      return { payment, form, data, written: written.data, zeros: written.memoZeros, paymentPolicy, gateway }
    })
    const list = <T>(pick: (row: (typeof rows)[0]) => T) => rows.map(pick)
    const read = await store.database.read<{ text: string; memo: string | null; compact: boolean }>(sql`
      select ${DATA_TEXT} as text, ${IS_COMPACT} as compact,
             case when ${DATA_TEXT} not like '%\\u0000%' then ${MEMO} end as memo
        from unnest(${list(row => row.written)}::json[], ${list(row => row.paymentPolicy)}::text[],
                    ${list(row => row.gateway)}::text[], ${list(row => String(row.payment.amount))}::numeric(20, 0)[],
                    ${list(row => String(row.payment.paidAt))}::bigint[],
                    ${list(row => String(row.payment.recordId))}::bigint[], ${list(row => row.zeros)}::smallint[])
               e (data, payment_policy, gateway, amount, paid_at, record_id, memo_zeros)`)
    for (const [at, { payment, form, data, written }] of rows.entries()) {
      const { text, memo, compact } = read[at]!
      if (text !== data) throw new Error(`${form}: ${text} instead of ${data}, of ${written}`)
      const isUsual = form === 'usual' && payment.memo.length === MEMO_BYTES
      if (compact !== (written !== data)) throw new Error(`${form}: ${written} is said to be ${compact}`)
      if (isUsual && !compact) throw new Error(`stored whole: ${written}`)
      seen[compact ? 'compact' : 'whole']++
      if (!compact) continue
      const bytes = JSON.parse(memo!) as number[]
      const padded = payment.memo.map((_, place) => bytes[place] ?? 0)
      if (bytes.length > MEMO_BYTES || padded.join() !== payment.memo.join()) throw new Error(`memo ${memo}`)
    }
  })
  await fc.assert(holds, { numRuns: 20, endOnFailure: true })
  t.ok(seen.compact > ROWS && seen.whole > ROWS, JSON.stringify(seen))
})

t.test('memos of 64 bytes, of none and of zeros inside are read as they came', async t => {
  const { store } = await openTestStore(t)
  const [payment] = fc.sample(payments, { numRuns: 1, seed: 1 }) as [Payment]
  const ends = [[], [0, 7], [7, 0, 0, 7], Array<number>(MEMO_BYTES).fill(255), Array<number>(63).fill(10)]
  for (const bytes of ends) {
    for (const details of [
      null,
      ['"1"', '"222"', '"11111111111111111111111111111111"'] as [string, string, string],
    ]) {
      const memo = Array.from({ length: MEMO_BYTES }, (_, at) => bytes[at] ?? 0)
      const { amount, paidAt, recordId } = payment
      const data = textOf(usualFields({ ...payment, memo, details }))
      const [paymentPolicy, gateway] = [bare(payment.policy), bare(payment.gateway)]
      const event = { data, paymentPolicy, gateway, effect: { kind: 'payment', amount, paidAt, recordId } }
      const { data: written, memoZeros } = writeData(event as unknown as ChainEvent)
      t.equal(JSON.parse(written).length, Math.max(bytes.length, 1) + (details === null ? 0 : 3), written)
      const [row] = await store.database.read<{ text: string; memo: string }>(sql`
        select ${DATA_TEXT} as text, ${MEMO} as memo
          from (select ${written}::json as data, ${paymentPolicy} as payment_policy, ${gateway} as gateway,
                       ${String(amount)}::numeric(20, 0) as amount, ${paidAt}::bigint as paid_at,
                       ${BigInt(recordId)}::bigint as record_id, ${memoZeros}::smallint as memo_zeros) e`)
      t.equal(row!.text, data)
      t.same(JSON.parse(row!.memo), bytes.length === 0 ? [0] : bytes)
    }
  }
})

t.test('every reader says of the fixtures what their messages said', async t => {
  const { store, pool } = await openTestStore(t)
  const lines = [...(await readFixtureMessages()), ...(await readSecondFixtures()).map(({ bytes }) => bytes)]
  const messages = lines.map(bytes =>
    readMessage(bytes, { programId: DEFAULT_PROGRAM_ID, requireProgramId: false }),
  )
  const events = new Map<string, ChainEvent>()
  for (const message of messages)
    if (message.ok && !events.has(message.event.id)) events.set(message.event.id, message.event)
  const received = [...events.values()].map((event, at) => ({
    streamSequence: at + 1,
    subject: 'chain.events.Any',
    bytes: Buffer.from('{}'),
    event,
  }))
  await commitBatch(store, { ...buildBatch([]), received })
  const { rows } = await pool.query<{ count: string }>(
    `select count(*) from events where json_typeof(data) = 'array' group by json_array_length(data) > 64 or data::text like '%"%'`,
  )
  t.ok(rows.length === 2 && rows.every(({ count }) => Number(count) > 50), 'both usual forms are compact')

  const differing = (read: readonly { id: string; data: string }[]) =>
    read.filter(({ id, data }) => data !== events.get(id)!.data).concat(read.slice(events.size))
  const all = { limit: 10_000, offset: 0 }
  const { text } = await readEventPage(store, { retracted: true }, all, new Map())
  const records = new Set(
    [...text.matchAll(/"id":"([^"]+)"[^{]*"data":(.*?),"timestamp":"\d{4}-/g)].map(
      ([, id, data]) => `${id} ${data}`,
    ),
  )
  t.equal(records.size, events.size)
  const unlisted = [...events.values()].filter(({ id, data }) => !records.has(`${id} ${data}`))
  t.same(unlisted, [], 'a page')
  const stored = await store.database.read<StoredRow>(sql`select ${STORED_COLUMNS} from events e`)
  t.same(differing(stored), [], 'what is computed anew')
  const other = stored.filter(
    row => readStored(row, DEFAULT_PROGRAM_ID).fingerprint !== events.get(row.id)!.fingerprint,
  )
  t.same(other, [], 'its fingerprint')
  const archived = []
  const months = [...events.values()].map(({ occurredAt }) => occurredAt.toISOString().slice(0, 7))
  for (const month of new Set(months))
    for await (const page of readMonth(store, month)) archived.push(...page)
  t.equal(archived.length, events.size)
  t.same(differing(archived), [], 'what is archived')
  const payments = await readCommittedPayments(statement => store.database.read(statement), sql`true`)
  const memoOf = ({ eventId }: { eventId: string }) => {
    const { effect } = events.get(eventId)!
    return effect.kind === 'payment' ? effect.memo : null
  }
  t.same(
    payments.filter(payment => payment.memo !== memoOf(payment)),
    [],
    'memos of payments',
  )
  t.ok(payments.some(({ memo }) => memo !== undefined))
})
