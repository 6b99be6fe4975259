import t from 'tap'
import { RawJson } from '../src/index.js'
import {
  accept,
  envelopeOf,
  keyOf,
  memoOf,
  PAYMENT,
  POLICY_CREATED,
  refuse,
  type Members,
} from './messages.js'

const memoOf32 = (text: string): number[] => memoOf(text).slice(0, 32)

const COMPOSABLE_CREATED: Members = {
  composable_policy: keyOf(1),
  user_payment: keyOf(3),
  recipient: keyOf(4),
  gateway: keyOf(2),
  policy_id: 1,
  policy_type: { UpTo: { max_amount: '9', valid_after: '-1', deadline: 1769871897, padding: [0] } },
  memo: memoOf32('order-1'),
  forward_config: { input_mint: keyOf(6) },
}
const EXECUTED: Members = {
  composable_policy: keyOf(1),
  gateway: keyOf(2),
  input_amount: '18446744073709551615',
  recipient: keyOf(4),
  timestamp: '1769871897',
  record_id: 1,
}

const [OF_POLICY, OF_GATEWAY] = [{ paymentPolicy: keyOf(1) }, { gateway: keyOf(2) }]
const OF_BOTH = { ...OF_POLICY, ...OF_GATEWAY }

/** What each event must carry at least, and what it is then found by. */
const EVENTS: Record<string, [data: Members, filters: Members]> = {
  PaymentRecord: [PAYMENT, { ...OF_BOTH, trackingId: 'order-1' }],
  ComposablePolicyCreated: [
    COMPOSABLE_CREATED,
    { ...OF_BOTH, userPayment: keyOf(3), recipient: keyOf(4), trackingId: 'order-1' },
  ],
  ComposableExecuted: [EXECUTED, { ...OF_BOTH, recipient: keyOf(4) }],
  ComposablePolicyStatusChanged: [
    { composable_policy: keyOf(1), new_status: { variant: 'Completed' } },
    OF_POLICY,
  ],
  ComposablePolicyDeleted: [{ composable_policy: keyOf(1) }, OF_POLICY],
  PaymentPolicyStatusChanged: [{ payment_policy: keyOf(1), new_status: { variant: 'Paused' } }, OF_POLICY],
  PaymentPolicyDeleted: [{ payment_policy: keyOf(1) }, OF_POLICY],
  UserPaymentDeleted: [{ user_payment: keyOf(3) }, { userPayment: keyOf(3) }],
  PaymentGatewayDeleted: [{ gateway: keyOf(2) }, OF_GATEWAY],
  GatewaySignerChanged: [{ gateway: keyOf(2), new_signer: keyOf(8) }, OF_GATEWAY],
  GatewayFeeBpsChanged: [{ gateway: keyOf(2) }, OF_GATEWAY],
  GatewayFeeRecipientChanged: [{ gateway: keyOf(2) }, OF_GATEWAY],
  ProgramConfigCreated: [{}, {}],
  SomethingNew: [{}, {}],
}
/** The same for the three that open an account, whose address they do not carry. */
const CREATED: Record<string, Members> = {
  PaymentPolicyCreated: POLICY_CREATED,
  UserPaymentCreated: { owner: keyOf(5), token_mint: keyOf(6) },
  PaymentGatewayCreated: { authority: keyOf(7) },
}

const FILTERS = ['gateway', 'paymentPolicy', 'userPayment', 'authority', 'recipient', 'trackingId'] as const

// What it does, the laws of the store hold.
t.test('each event is found by its addresses', async t => {
  for (const [name, [data, filters]] of Object.entries(EVENTS)) {
    const event = await accept(envelopeOf(name, { ...data, newer_field: { anything: [1.5] } }))
    const filtered = Object.fromEntries(FILTERS.map(filter => [filter, event[filter]]))
    t.same(filtered, { ...Object.fromEntries(FILTERS.map(filter => [filter, null])), ...filters }, name)
  }
})

t.test('a field that is projected must be there and of its type; others may be anything', async t => {
  const known = {
    ...Object.fromEntries(Object.entries(EVENTS).map(([name, [data]]) => [name, data])),
    ...CREATED,
  }
  for (const [name, data] of Object.entries(known)) {
    for (const field of Object.keys(data)) {
      // An enum of any name is valid, and so is a time before 1970.
      const alsoBad = ['new_status', 'policy_type'].includes(field)
        ? [-1]
        : field === 'timestamp'
          ? ['x']
          : ['x', -1]
      for (const bad of [undefined, null, 1.5, true, [], {}, [1, 2], ...alsoBad]) {
        const { code, reason } = await refuse(envelopeOf(name, { ...data, [field]: bad }))
        t.equal(code, 'BAD_DATA', `${name}.${field} = ${JSON.stringify(bad)}`)
        t.match(reason, `data.${field}`)
      }
    }
  }
})

const [MOST_U64, MOST_I64] = [2n ** 64n - 1n, 2n ** 63n - 1n]
const NO_INTEGER = [
  ...['"012"', '"+1"', '"-0"', '-0', '12.0', '1e3', '"1e3"', '"12.0"', '""', '" 1"', '"0x10"'],
  ...['"1_000"', '1.5', '[1]', '"١"'],
]
const inBoth = (values: readonly bigint[]) => values.flatMap(value => [`${value}`, `"${value}"`])
const memo = (...bytes: unknown[]) => JSON.stringify([...memoOf('x').slice(bytes.length), ...bytes])

/** By field of a payment: literals that are read, with what of, and those that are refused. */
const FIELDS: [field: string, good: string[], read: (literal: string) => object, bad: string[]][] = [
  [
    'amount',
    inBoth([0n, 1n, 9_007_199_254_740_993n, MOST_U64]),
    literal => ({ effect: { amount: BigInt(literal.replaceAll('"', '')) } }),
    [...NO_INTEGER, ...inBoth([-1n, MOST_U64 + 1n]), '9'.repeat(400)],
  ],
  [
    'timestamp',
    inBoth([-MOST_I64 - 1n, -1n, MOST_I64]),
    literal => ({ effect: { paidAt: BigInt(literal.replaceAll('"', '')) } }),
    [...NO_INTEGER, ...inBoth([MOST_I64 + 1n, -MOST_I64 - 2n])],
  ],
  [
    'record_id',
    ['0', '4294967295'],
    literal => ({ effect: { recordId: Number(literal) } }),
    ['"1"', '-1', '4294967296', '1.0', '1e0', '-0'],
  ],
  [
    'gateway',
    [`"${'1'.repeat(32)}"`],
    () => ({ gateway: '1'.repeat(32) }),
    [
      ...['1'.repeat(31), '1'.repeat(33), keyOf(1).slice(1), `${keyOf(255)}1`, `0${keyOf(1).slice(1)}`],
      ...[` ${keyOf(1)}`, 'z'.repeat(44)],
    ].map(text => `"${text}"`),
  ],
  [
    'memo',
    [JSON.stringify(memoOf('x'.repeat(64)))],
    () => ({ trackingId: 'x'.repeat(64) }),
    [
      ...[JSON.stringify(memoOf('x').slice(1)), JSON.stringify([...memoOf('x'), 0]), '"x"'],
      ...[256, -1, 1.5, '0', null].map(byte => memo(byte)),
    ],
  ],
]

for (const [field, good, read, bad] of FIELDS)
  t.test(`${field} is of its kind and within its range`, async t => {
    const message = (literal: string) =>
      envelopeOf('PaymentRecord', { ...PAYMENT, [field]: new RawJson(literal) })
    for (const literal of good) t.match(await accept(message(literal)), read(literal), literal)
    for (const literal of bad) t.equal((await refuse(message(literal))).code, 'BAD_DATA', literal)
  })

t.test('a status is an enum in any style, including unknown ones', async t => {
  const read = (new_status: unknown) =>
    envelopeOf('PaymentPolicyStatusChanged', { payment_policy: keyOf(1), new_status })
  for (const status of [
    { variant: 'Frozen' },
    { Frozen: null },
    'Frozen',
    { variant: 'Frozen', field: 5 },
    { Frozen: { since: 5 } },
  ]) {
    t.match((await accept(read(status))).effect, { newStatus: 'Frozen' })
  }
  for (const status of [
    { variant: '' },
    { variant: 'a\0b' },
    { variant: '\ud800' },
    { A: null, B: null },
    5,
    ['Active'],
  ]) {
    t.equal((await refuse(read(status))).code, 'BAD_DATA', JSON.stringify(status))
  }
})

t.test('a memo of a composable event has 32 or 64 bytes, and an execution may have none', async t => {
  const trackingIdOf = async (name: string, data: Members): Promise<string | null> =>
    (await accept(envelopeOf(name, data))).trackingId
  for (const memo of [memoOf32('order-2'), memoOf('order-2')]) {
    t.equal(await trackingIdOf('ComposablePolicyCreated', { ...COMPOSABLE_CREATED, memo }), 'order-2')
    t.equal(await trackingIdOf('ComposableExecuted', { ...EXECUTED, memo }), 'order-2')
  }
  for (const memo of [undefined, null, memoOf32('')]) {
    const event = await accept(envelopeOf('ComposableExecuted', { ...EXECUTED, memo }))
    t.match(event, { trackingId: null, effect: { tracksPolicy: true } })
  }
  for (const memo of [memoOf('').slice(0, 40), [], 'x', undefined])
    t.equal(
      (await refuse(envelopeOf('ComposablePolicyCreated', { ...COMPOSABLE_CREATED, memo }))).code,
      'BAD_DATA',
    )
  const without = { ...COMPOSABLE_CREATED, forward_config: { input_mint: 'x' } }
  t.match((await refuse(envelopeOf('ComposablePolicyCreated', without))).reason, 'forward_config.input_mint')
})
