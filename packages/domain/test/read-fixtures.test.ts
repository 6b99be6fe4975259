import t from 'tap'
import type { ChainEvent } from '../src/index.js'
import { expected, lines, readLines } from './fixtures.js'

function countBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const item of items) counts[keyOf(item)] = (counts[keyOf(item)] ?? 0) + 1
  return counts
}

t.test('the fixtures hold exactly the expected events, from any publisher and however often', async t => {
  const { events } = await readLines()
  const distinct = [...new Map(events.map(event => [event.id, event])).values()]
  t.equal(lines.length, expected.messages)
  t.equal(distinct.length, expected.stored)
  t.same(
    countBy(distinct, event => event.name),
    expected.countByName,
  )
})

t.test('messages that share an identity agree, also in another enum or integer style', async t => {
  const { events } = await readLines()
  const fingerprints = new Map<string, Set<string>>()
  const texts = new Map<string, Set<string>>()
  for (const { id, fingerprint, data } of events) {
    fingerprints.set(id, (fingerprints.get(id) ?? new Set()).add(fingerprint))
    texts.set(id, (texts.get(id) ?? new Set()).add(data))
  }
  t.ok([...fingerprints.values()].every(({ size }) => size === 1))
  t.ok(
    [...texts.values()].some(({ size }) => size > 1),
    'the fixtures do hold one event in two styles',
  )
})

t.test('each of the messages that must be refused is refused for its own fault', async t => {
  const { refusals } = await readLines()
  t.equal(refusals.length, expected.rejected)
  t.same(
    countBy(refusals, ({ code }) => code),
    {
      NOT_JSON: 2,
      NOT_AN_EVENT: 3,
      BAD_SLOT: 3,
      BAD_SIGNATURE: 2,
      BAD_INDEX: 2,
      BAD_EVENT_NAME: 1,
      BAD_TIMESTAMP: 1,
      BAD_DATA: 12,
      FOREIGN_PROGRAM: 1,
    },
  )
})

t.test('an integer beyond 2^53 is kept to the last digit, as a literal and as a string', async t => {
  const { events } = await readLines()
  const total = events
    .filter((event, at) => events.findIndex(({ id }) => id === event.id) === at)
    .reduce((sum, { effect }) => (effect.kind === 'payment' ? sum + effect.amount : sum), 0n)
  const expectedTotal = expected.stats.reduce((sum, { totalAmount }) => sum + BigInt(totalAmount), 0n)
  t.equal(total, expectedTotal)
  t.ok(
    events.some(({ data }) => /"amount":\d{17}/.test(data)),
    'the fixtures do hold such a literal',
  )
})

t.test('addresses that events do not carry are derived as the program derives them', async t => {
  const { events } = await readLines()
  const has = (name: string, fields: Partial<ChainEvent>): boolean =>
    events.some(
      event =>
        event.name === name &&
        Object.entries(fields).every(([key, value]) => Reflect.get(event, key) === value),
    )
  for (const { policyAddress, record } of expected.subscriptions) {
    const { userPayment, gateway, recipient } = record
    t.ok(
      has('PaymentPolicyCreated', { paymentPolicy: policyAddress, userPayment, gateway, recipient }),
      policyAddress,
    )
    t.ok(has('UserPaymentCreated', { userPayment }), userPayment)
  }
  for (const { gateway, authority } of expected.stats) {
    t.ok(has('PaymentGatewayCreated', { gateway, authority }), gateway)
  }
})
