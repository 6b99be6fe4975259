import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { RawJson, readMessage, type ChainEvent } from '../src/index.js'
import { lines, PROGRAM_ID, SETTINGS } from './fixtures.js'
import { accept, bytesOf, envelopeOf, keyOf, PAYMENT, refuse, SIGNATURE, type Members } from './messages.js'

const payment = (others: Members = {}, data: Members = {}): Members =>
  envelopeOf('PaymentRecord', { ...PAYMENT, ...data }, others)

t.test('a payment is read into stored fields and an effect', async t => {
  // Ids and fingerprints are stored: a version that made others would take every replay for news.
  t.same(await accept(payment({ index: 3 }, { payer: keyOf(5), recipient: keyOf(6), token_mint: null })), {
    id: '2a6f9909-b173-d5a7-fba4-657ce116c89c',
    order: '00000000173f59de00000000000000032a6f9909b173d5a7fba4657ce116c89c',
    fingerprint: 'd316fbd3-8913-b9fe-883d-5db0a946dc34',
    slot: 390027742,
    transactionIndex: 0,
    index: 3,
    commitment: 'confirmed',
    signature: SIGNATURE,
    name: 'PaymentRecord',
    occurredAt: new Date('2026-01-31T15:04:57Z'),
    data: JSON.stringify({ ...PAYMENT, payer: keyOf(5), recipient: keyOf(6), token_mint: null }),
    gateway: keyOf(2),
    paymentPolicy: keyOf(1),
    userPayment: null,
    authority: null,
    recipient: keyOf(6),
    trackingId: 'order-1',
    effect: {
      kind: 'payment',
      policy: keyOf(1),
      gateway: keyOf(2),
      amount: 1000n,
      paidAt: 1769871897n,
      recordId: 1,
      recipient: keyOf(6),
      payer: keyOf(5),
      tokenMint: null,
      tracksPolicy: false,
    },
  })
})

t.test('the program is checked before all else, and must be named when that is required', async t => {
  const strict = { programId: PROGRAM_ID, requireProgramId: true }
  for (const program_id of [keyOf(9), 'x', 5, {}]) {
    t.equal((await refuse(payment({ program_id, slot: 'none', data: 5 }))).code, 'FOREIGN_PROGRAM')
  }
  for (const program_id of [undefined, null]) {
    await accept(payment({ program_id }))
    t.equal((await refuse(payment({ program_id }), strict)).code, 'FOREIGN_PROGRAM')
  }
  await accept(payment(), strict)
})

t.test('bytes that are no JSON object are refused', async t => {
  const codeOf = async (bytes: Uint8Array): Promise<string> => {
    const result = readMessage(bytes, SETTINGS)
    return result.ok ? 'accepted' : result.refusal.code
  }
  for (const text of ['', 'nope', '{"slot": 1, "signature": ', '{} {}', '\uFEFF{}', '{"a":01}']) {
    t.equal(await codeOf(Buffer.from(text)), 'NOT_JSON', text)
  }
  t.equal(await codeOf(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])), 'NOT_JSON', 'no UTF-8')
  for (const text of ['null', '[]', '""', '5', '1.5', 'true']) {
    t.equal(await codeOf(Buffer.from(text)), 'NOT_AN_EVENT', text)
  }
})

t.test('nesting is refused beyond 64 levels, in data and beside it', async t => {
  const nested = (levels: number): RawJson => new RawJson('['.repeat(levels) + ']'.repeat(levels))
  await accept(envelopeOf('SomethingNew', { deep: nested(62) }))
  t.equal((await refuse(envelopeOf('SomethingNew', { deep: nested(63) }))).code, 'TOO_DEEP')
  t.equal((await refuse(payment({ id: nested(100_000) }))).code, 'TOO_DEEP')
})

/** By member of the envelope: its refusal, literals that are refused, and what others are read as. */
const ENVELOPE: [member: string, code: string, bad: string[], good: [literal: string, value: unknown][]][] = [
  [
    'slot',
    'BAD_SLOT',
    ['0', '-1', '-0', '1.0', '1e3', '9007199254740992', '"5"', 'null', '[1]', 'true', ''],
    [1, 999_999_999_999_999, Number.MAX_SAFE_INTEGER].map(slot => [String(slot), slot]),
  ],
  ['transaction_index', 'BAD_TRANSACTION_INDEX', ['-1', '1.5', '"0"', '4294967296', 'true'], [['null', 0]]],
  ['commitment', 'BAD_COMMITMENT', ['"processed"', '""', '1', '{}', 'false'], [['null', 'confirmed']]],
  [
    'index',
    'BAD_INDEX',
    ['-1', '1.5', '0.0', '"0"', '4294967296', '{}'],
    [
      ['', 0],
      ['null', 0],
      ['0', 0],
      ['4294967295', 4_294_967_295],
    ],
  ],
  [
    'signature',
    'BAD_SIGNATURE',
    [
      '',
      '5',
      ...['', 'abc', keyOf(1), '1'.repeat(63), '1'.repeat(65), `${SIGNATURE} `].map(text => `"${text}"`),
    ],
    [[`"${'1'.repeat(64)}"`, '1'.repeat(64)]],
  ],
  [
    'timestamp',
    'BAD_TIMESTAMP',
    ['', 'null', '1769871897', '"yesterday"', '"2026-02-30T00:00:00Z"'],
    [['"2026-01-31T17:04:57.123456+02:00"', new Date('2026-01-31T15:04:57.123Z')]],
  ],
]
const READ_AS: Record<string, keyof ChainEvent> = {
  transaction_index: 'transactionIndex',
  timestamp: 'occurredAt',
}

for (const [member, code, bad, good] of ENVELOPE)
  t.test(`${member} is of its kind and within its range`, async t => {
    const message = (literal: string) =>
      payment({ [member]: literal === '' ? undefined : new RawJson(literal) })
    for (const [literal, value] of good)
      t.same(
        (await accept(message(literal)))[READ_AS[member] ?? (member as keyof ChainEvent)],
        value,
        literal,
      )
    for (const literal of bad) t.equal((await refuse(message(literal))).code, code, literal)
  })

t.test('an event name loses the prefix of its program and is a plain word', async t => {
  const nameOf = async (event_name: string): Promise<string> =>
    (await accept(envelopeOf('', {}, { event_name }))).name
  for (const prefix of ['tributary_', 'my_program_2_', ''])
    t.equal(await nameOf(`${prefix}SomethingNew`), 'SomethingNew')
  for (const name of ['something_new', 'constructor', 'x'.repeat(64)]) t.equal(await nameOf(name), name)
  for (const event_name of [
    undefined,
    null,
    5,
    '',
    'tributary_P!',
    'Payment Record',
    'x'.repeat(65),
    'Ü',
    'a\n',
  ])
    t.equal((await refuse(envelopeOf('', {}, { event_name }))).code, 'BAD_EVENT_NAME', String(event_name))
})

t.test('data is an object, kept with every digit and everything that text may hold', async t => {
  for (const data of [undefined, null, [], 'x', 5, new RawJson('1.5')]) {
    t.equal((await refuse(envelopeOf('SomethingNew', data))).code, 'BAD_DATA')
  }
  const text =
    '{"zero":"\\u0000","half":"\\ud800","big":340282366920938463463374607431768211455,"form":[1.50,1e3,-0],"__proto__":{"a":1}}'
  t.equal((await accept(envelopeOf('SomethingNew', new RawJson(text)))).data, text)
})

t.test('unknown members of the envelope are ignored', async t => {
  const { id, fingerprint } = await accept(payment())
  const other = await accept(
    payment({ id: 5, _id: { $oid: 'x' }, discriminator: [1, 2], extra: new RawJson('1e400') }),
  )
  t.same([other.id, other.fingerprint], [id, fingerprint])
})

t.test('a reason names the field and never repeats its value', async t => {
  const secret = 'sEcReT-9f3'
  const messages = [
    payment({ signature: secret }),
    payment({ event_name: `${secret}!` }),
    payment({ timestamp: secret }),
    payment({ program_id: secret }),
    payment({}, { amount: secret }),
    payment({}, { gateway: secret }),
    envelopeOf('PaymentPolicyStatusChanged', {
      payment_policy: keyOf(1),
      new_status: { variant: `${secret}!` },
    }),
    secret,
  ]
  for (const message of messages) {
    const { reason } = await refuse(message)
    t.notMatch(reason, secret)
    t.match(reason, /must/)
  }
})

t.test('no bytes make the reader throw: it refuses every invalid message', async t => {
  const damaged = fc
    .tuple(fc.constantFrom(...lines), fc.nat(), fc.nat(12), fc.uint8Array({ maxLength: 4 }))
    .map(([line, number, cut, scrap]) => {
      const bytes = Buffer.from(line)
      const at = number % (bytes.length + 1)
      return Buffer.concat([bytes.subarray(0, at), scrap, bytes.subarray(at + cut)])
    })
  const replaced = fc
    .tuple(fc.constantFrom(...Object.keys(PAYMENT)), fc.jsonValue())
    .map(([field, value]) => bytesOf(payment({}, { [field]: value })))
  const property = fc.asyncProperty(fc.oneof(fc.uint8Array(), damaged, replaced), async bytes => {
    const result = readMessage(bytes, SETTINGS)
    assert(result.ok ? /^[0-9a-f-]{36}$/.test(result.event.id) : result.refusal.reason.length > 0)
  })
  const details = await fc.check(property, { numRuns: 1_000 })
  t.notOk(details.failed, fc.defaultReportMessage(details) ?? 'every message is read')
})
