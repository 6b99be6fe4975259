import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { canonicalJson } from '../src/messages/canonical-json.js'
import { readExactJson } from '../src/json/exact-json.js'
import { idInSlot, RawJson, writeJson, type ChainEvent } from '../src/index.js'
import { accept, envelopeOf, keyOf, PAYMENT, POLICY_CREATED, SUBSCRIPTION, type Members } from './messages.js'
import { hold } from './hold.js'

const same = (a: ChainEvent, b: ChainEvent): boolean => a.id === b.id && a.fingerprint === b.fingerprint

t.test('one event in two styles has one id and one fingerprint', async t => {
  const { max_renewals: _none, padding: _padding, ...required } = SUBSCRIPTION
  const [CREATED, CHANGED] = ['PaymentPolicyCreated', 'PaymentPolicyStatusChanged']
  const typed = (policy_type: object) => ({ ...POLICY_CREATED, policy_type })
  const plan = (of: object, payment_frequency: unknown) =>
    typed({ Subscription: { ...of, payment_frequency } })
  const monthly = { variant: 'Subscription', ...SUBSCRIPTION, payment_frequency: { variant: 'Monthly' } }
  const custom = plan({ ...SUBSCRIPTION, max_renewals: null }, { Custom: 262800 })
  const changed = (old_status: unknown, new_status: unknown) => ({
    payment_policy: keyOf(1),
    old_status,
    new_status,
  })
  const paused = changed({ Active: null }, { Paused: null })
  const pairs: [name: string, one: Members, other: Members][] = [
    ['PaymentRecord', PAYMENT, { ...PAYMENT, amount: 1000, timestamp: 1769871897 }],
    ['PaymentRecord', PAYMENT, Object.fromEntries(Object.entries(PAYMENT).reverse())],
    ['PaymentRecord', PAYMENT, { ...PAYMENT, payer: null, recipient: null, token_mint: null }],
    ['PaymentRecord', { ...PAYMENT, amount: '18446744073709551615' }, { ...PAYMENT, amount: 2n ** 64n - 1n }],
    [CREATED, POLICY_CREATED, typed(monthly)],
    [CREATED, POLICY_CREATED, plan({ ...SUBSCRIPTION, padding: [] }, 'Monthly')],
    [CREATED, plan(required, { variant: 'Custom', field: '262800' }), custom],
    [CHANGED, changed({ variant: 'Active' }, { variant: 'Paused' }), paused],
    [CHANGED, changed('Active', 'Paused'), paused],
    ['SomethingNew', { nested: { variant: 'X', a: 1 } }, { nested: { X: { a: '1' } } }],
  ]
  for (const index of [0, undefined]) {
    for (const [name, one, other] of pairs) {
      const a = await accept(envelopeOf(name, one, { index }))
      const b = await accept(envelopeOf(name, other, { index }))
      t.ok(same(a, b), `${name} ${writeJson(other).slice(0, 60)}`)
    }
  }
})

t.test('a payment is one record of one policy in one transaction, wherever it was seen', async t => {
  const idOf = async (data: Members, others: Members = {}): Promise<string> =>
    (await accept(envelopeOf('PaymentRecord', { ...PAYMENT, ...data }, others))).id
  const id = await idOf({})
  t.equal(await idOf({ amount: '5' }, { index: 9, slot: 5, timestamp: '2020-01-01T00:00:00Z' }), id)
  t.equal(await idOf({}, { index: undefined, event_name: 'PaymentRecord' }), id)
  t.not(await idOf({ record_id: 2 }), id)
  t.not(await idOf({ payment_policy: keyOf(9) }), id)
  t.not(await idOf({}, { signature: '1'.repeat(64) }), id)
})

t.test('any other event is identified by its place, and without a place by its content', async t => {
  const idOf = async (data: Members, others: Members = {}): Promise<string> =>
    (await accept(envelopeOf('GatewayFeeBpsChanged', { gateway: keyOf(2), ...data }, others))).id
  const id = await idOf({})
  t.equal(await idOf({ new_fee_bps: 5 }, { slot: 5, timestamp: '2020-01-01T00:00:00Z' }), id)
  t.not(await idOf({}, { index: 1 }), id)
  t.not(await idOf({}, { event_name: 'GatewayFeeRecipientChanged' }), id)
  t.not(await idOf({}, { signature: '1'.repeat(64) }), id)

  const withoutIndex = await idOf({}, { index: undefined })
  t.not(withoutIndex, id)
  t.equal(await idOf({}, { index: null, slot: 5 }), withoutIndex)
  t.not(await idOf({ new_fee_bps: 5 }, { index: undefined }), withoutIndex)
})

t.test('messages agree only when data, slot and timestamp do', async t => {
  const fingerprintOf = async (data: Members, others: Members = {}): Promise<string> =>
    (await accept(envelopeOf('PaymentRecord', { ...PAYMENT, ...data }, others))).fingerprint
  const fingerprint = await fingerprintOf({})
  t.equal(await fingerprintOf({}, { timestamp: '2026-01-31T16:04:57+01:00', index: 5 }), fingerprint)
  t.not(await fingerprintOf({ amount: '1001' }), fingerprint)
  t.not(await fingerprintOf({ newer_field: 1 }), fingerprint)
  t.not(await fingerprintOf({}, { slot: 390027743 }), fingerprint)
  t.not(await fingerprintOf({}, { timestamp: '2026-01-31T15:04:57.001Z' }), fingerprint)
})

t.test('transfers of one transaction are told apart by index, or by what they say', async t => {
  const direct = { ...PAYMENT, payment_policy: '1'.repeat(32), record_id: 0 }
  const transfer = async (data: Members, others: Members = {}): Promise<ChainEvent> =>
    accept(envelopeOf('PaymentRecord', { ...direct, ...data }, others))
  const first = await transfer({}, { index: 0 })
  t.equal((await transfer({ amount: '5' }, { index: 0 })).id, first.id)
  t.not((await transfer({}, { index: 1 })).id, first.id)
  const withoutIndex = await transfer({}, { index: undefined })
  t.not((await transfer({ recipient: keyOf(9) }, { index: undefined })).id, withoutIndex.id)
  t.not(withoutIndex.id, first.id)
})

t.test('the transaction and the commitment are no part of what an event is', async t => {
  const event = await accept(envelopeOf('PaymentRecord', PAYMENT))
  const told = { transaction_index: 7, commitment: 'finalized' }
  const other = await accept(envelopeOf('PaymentRecord', PAYMENT, told))
  t.ok(same(event, other))
  t.match(other, { transactionIndex: 7, commitment: 'finalized' })
  t.match(event, { transactionIndex: 0, commitment: 'confirmed' })
  t.not(idInSlot(event.id, 5), idInSlot(event.id, 6))
})

t.test('chain order is the byte order of slot, transaction, index and id', async t => {
  const orderOf = async (slot: number | bigint, index: number): Promise<string> =>
    (await accept(envelopeOf('SomethingNew', {}, { slot, index }))).order
  const positions: [number, number][] = [
    [1, 0],
    [1, 1],
    [1, 16],
    [2, 0],
    [15, 2 ** 32 - 1],
    [16, 0],
    [255, 0],
    [2 ** 32, 0],
    [2 ** 53 - 1, 0],
  ]
  const orders = await Promise.all(positions.map(([slot, index]) => orderOf(slot, index)))
  t.same([...orders].sort(), orders)
  t.ok(orders.every(order => /^[0-9a-f]{64}$/.test(order)))
  const inTransaction = async (transaction_index: number, index: number): Promise<string> =>
    (await accept(envelopeOf('SomethingNew', {}, { slot: 5, transaction_index, index }))).order
  const inSlot = [await inTransaction(0, 9), await inTransaction(1, 0), await inTransaction(2 ** 32 - 1, 0)]
  t.same([...inSlot].sort(), inSlot, 'the transaction comes before the place in it')
})

/** A value, and the same value as another indexer would write it. */
const twoStyles = fc.letrec<{ value: [unknown, unknown] }>(tie => {
  const name = fc.stringMatching(/^[A-Z][a-z]{0,5}$/)
  const field = fc.stringMatching(/^[a-z_]{1,6}$/).filter(text => text !== 'variant' && text !== 'field')
  const integer = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n - 1n })
  const fields = fc.uniqueArray(fc.tuple(field, tie('value')), { maxLength: 4, selector: ([key]) => key })
  const side = (entries: [string, [unknown, unknown]][], at: 0 | 1): Members =>
    Object.fromEntries(entries.map(([key, value]) => [key, value[at]]))
  return {
    value: fc.oneof(
      { maxDepth: 4 },
      fc
        .oneof(fc.boolean(), fc.constant(null), fc.string())
        .map((value): [unknown, unknown] => [value, value]),
      integer.map((value): [unknown, unknown] => [value, value.toString()]),
      fc
        .array(tie('value'), { maxLength: 3 })
        .map((items): [unknown, unknown] => [items.map(([one]) => one), items.map(([, other]) => other)]),
      fields.map((entries): [unknown, unknown] => [side(entries, 0), side([...entries].reverse(), 1)]),
      name.map((variant): [unknown, unknown] => [{ variant }, { [variant]: null }]),
      fc
        .tuple(name, tie('value'))
        .map(([variant, [one, other]]): [unknown, unknown] => [
          { variant, field: one },
          { [variant]: other },
        ]),
      fc
        .tuple(
          name,
          fields.filter(entries => entries.length > 0),
        )
        .map(([variant, entries]): [unknown, unknown] => [
          { ...side(entries, 0), variant },
          { [variant]: side(entries, 1) },
        ]),
    ),
  }
}).value

t.test('the order of names, the style of enums and the form of integers do not matter', async t => {
  const canonical = (value: unknown): string => canonicalJson(readExactJson(writeJson(value), 64).value)
  const agree = fc.property(twoStyles, ([one, other]) => {
    assert.equal(canonical(one), canonical(other))
    assert.equal(
      canonical(new RawJson(canonical(one))),
      canonical(one),
      'canonical JSON is its own canonical JSON',
    )
  })
  hold(t, 'two styles, one text', agree, 500)

  const differ = fc.property(twoStyles, twoStyles, fc.constantFrom('a', 'b'), ([one], [other], name) => {
    fc.pre(canonical(one) !== canonical(other))
    assert.notEqual(canonical({ [name]: one }), canonical({ [name]: other }))
    assert.notEqual(canonical([one, other]), canonical([other, one]))
    assert.notEqual(canonical([one]), canonical([one, one]))
  })
  hold(t, 'two values, two texts', differ, 300)
  const found = ['"01"', '"-0"', '"1e3"', '"-1"'].map(text => canonical(new RawJson(text)))
  t.same(found, ['"01"', '"-0"', '"1e3"', '-1'])
  for (const [one, other] of [
    ['"01"', '1'],
    ['"-0"', '0'],
    ['1.0', '1'],
    ['"1.5"', '1.5'],
    ['"true"', 'true'],
    ['{"a":null}', '{}'],
    ['[]', '{}'],
    ['"[]"', '[]'],
  ]) {
    t.not(canonical(new RawJson(one ?? '')), canonical(new RawJson(other ?? '')), `${one} is not ${other}`)
  }
})
