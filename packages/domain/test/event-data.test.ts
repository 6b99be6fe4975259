import t from 'tap'
import { RawJson } from '../src/index.js'
import { COMPOSABLE_CREATED, CREATED, EVENTS, EXECUTED, memoOf32 } from './event-cases.js'
import { accept, envelopeOf, keyOf, memoOf, PAYMENT, refuse, type Members } from './messages.js'

const FILTERS = ['gateway', 'paymentPolicy', 'userPayment', 'authority', 'recipient', 'trackingId'] as const

t.test('each event has its effect, and is found by its addresses', async t => {
  for (const [name, { data, effect, filters = {} }] of Object.entries(EVENTS)) {
    const event = await accept(envelopeOf(name, { ...data, newer_field: { anything: [1.5] } }))
    t.same(event.effect, effect, name)
    t.same(
      Object.fromEntries(FILTERS.map(filter => [filter, event[filter]])),
      { ...Object.fromEntries(FILTERS.map(filter => [filter, null])), ...filters },
      name,
    )
  }
})

// That the addresses are the program's own is shown by the fixtures, which were made without this code.
t.test('the events that open an account are found by its derived address', async t => {
  const policy = await accept(envelopeOf('PaymentPolicyCreated', CREATED.PaymentPolicyCreated))
  t.match(policy, {
    gateway: keyOf(2),
    userPayment: keyOf(3),
    recipient: keyOf(4),
    trackingId: 'order-1',
    authority: null,
  })
  t.match(policy.effect, {
    kind: 'policy-created',
    policy: policy.paymentPolicy,
    policyId: 1,
    gateway: keyOf(2),
  })
  const userPayment = await accept(envelopeOf('UserPaymentCreated', CREATED.UserPaymentCreated))
  t.same(userPayment.effect, {
    kind: 'user-payment-created',
    userPayment: userPayment.userPayment,
    owner: keyOf(5),
    tokenMint: keyOf(6),
    tokenAccount: null,
  })
  const gateway = await accept(envelopeOf('PaymentGatewayCreated', CREATED.PaymentGatewayCreated))
  t.equal(gateway.authority, keyOf(7))
  t.same(gateway.effect, { kind: 'gateway-created', gateway: gateway.gateway, authority: keyOf(7) })
})

t.test('a field that is projected must be there and of its type; others may be anything', async t => {
  const known = {
    ...Object.fromEntries(Object.entries(EVENTS).map(([name, { data }]) => [name, data])),
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

t.test('u64 and i64 are decimal strings or integer literals within their range', async t => {
  const read = (field: string, literal: string) =>
    envelopeOf('PaymentRecord', { ...PAYMENT, [field]: new RawJson(literal) })
  for (const text of ['0', '1', '9007199254740993', '18446744073709551615']) {
    for (const literal of [text, `"${text}"`]) {
      t.match((await accept(read('amount', literal))).effect, { amount: BigInt(text) })
    }
  }
  for (const text of ['-9223372036854775808', '-1', '9223372036854775807']) {
    for (const literal of [text, `"${text}"`]) {
      t.match((await accept(read('timestamp', literal))).effect, { paidAt: BigInt(text) })
    }
  }
  const none = [
    '"012"',
    '"+1"',
    '"-0"',
    '-0',
    '12.0',
    '1e3',
    '"1e3"',
    '"12.0"',
    '""',
    '" 1"',
    '"0x10"',
    '"1_000"',
    '1.5',
    '[1]',
    '"١"',
  ]
  for (const literal of [
    ...none,
    '-1',
    '"-1"',
    '18446744073709551616',
    '"18446744073709551616"',
    '9'.repeat(400),
  ]) {
    t.equal((await refuse(read('amount', literal))).code, 'BAD_DATA', `amount ${literal}`)
  }
  for (const literal of [...none, '9223372036854775808', '"-9223372036854775809"']) {
    t.equal((await refuse(read('timestamp', literal))).code, 'BAD_DATA', `timestamp ${literal}`)
  }
})

t.test('u32 is a JSON number within its range, never a string', async t => {
  const read = (literal: string) =>
    envelopeOf('PaymentRecord', { ...PAYMENT, record_id: new RawJson(literal) })
  for (const literal of ['0', '4294967295']) {
    t.match((await accept(read(literal))).effect, { recordId: Number(literal) })
  }
  for (const literal of ['"1"', '-1', '4294967296', '1.0', '1e0', '-0']) {
    t.equal((await refuse(read(literal))).code, 'BAD_DATA', literal)
  }
})

t.test('a public key is base58 of exactly 32 bytes', async t => {
  const read = (gateway: unknown) => envelopeOf('PaymentRecord', { ...PAYMENT, gateway })
  await accept(read('1'.repeat(32)))
  for (const gateway of [
    '1'.repeat(31),
    '1'.repeat(33),
    keyOf(1).slice(1),
    `${keyOf(255)}1`,
    `0${keyOf(1).slice(1)}`,
    ` ${keyOf(1)}`,
    'z'.repeat(44),
  ]) {
    t.equal((await refuse(read(gateway))).code, 'BAD_DATA', gateway)
  }
})

t.test('a memo is exactly 64 bytes', async t => {
  const read = (memo: unknown) => envelopeOf('PaymentRecord', { ...PAYMENT, memo })
  t.equal((await accept(read(memoOf('')))).trackingId, null, 'no tracking ID is no fault')
  t.equal((await accept(read(memoOf('x'.repeat(64))))).trackingId, 'x'.repeat(64))
  const bytes = memoOf('x')
  for (const memo of [
    bytes.slice(1),
    [...bytes, 0],
    [...bytes.slice(1), 256],
    [...bytes.slice(1), -1],
    [...bytes.slice(1), 1.5],
    [...bytes.slice(1), '0'],
    'x',
    [...bytes.slice(1), null],
  ]) {
    t.equal((await refuse(read(memo))).code, 'BAD_DATA', JSON.stringify(memo).slice(-20))
  }
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
