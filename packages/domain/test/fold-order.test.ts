// The order of events matters to a fold only where its function says so.
import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import {
  applyToGateway,
  applyToPolicy,
  applyToUserPayment,
  emptyGateway,
  emptyPolicy,
  emptyUserPayment,
  orderOf,
  type ChainEvent,
  type Effect,
} from '../src/index.js'
import { hold } from './hold.js'

const RUNS = 300

/** Only what a fold reads of an event. */
function eventAt(effect: Effect, slot: number): ChainEvent {
  const id = slot.toString(16).padStart(32, '0')
  const order = orderOf({ slot, transactionIndex: 0, index: 0 }, id)
  return { id, order, slot, effect, occurredAt: new Date(slot * 1000), trackingId: null } as ChainEvent
}

/** Events in the order of the chain, and the same events in any order. */
const ordersOf = (effects: fc.Arbitrary<Effect>) =>
  fc
    .array(effects, { maxLength: 12 })
    .map(list => list.map((effect, at) => eventAt(effect, at + 1)))
    .chain(events => fc.tuple(fc.constant(events), fc.shuffledSubarray(events, { minLength: events.length })))

const signer = fc.constantFrom('a', 'b')
const gatewayEffects = fc.oneof(
  fc.constant<Effect>({ kind: 'gateway-created', gateway: 'g', authority: 'authority' }),
  fc.constant<Effect>({ kind: 'gateway-deleted', gateway: 'g' }),
  signer.map((to): Effect => ({ kind: 'gateway-signer-changed', gateway: 'g', signer: to })),
)
const userPaymentEffects = fc.constantFrom<Effect[]>(
  { kind: 'user-payment-created', userPayment: 'u', owner: 'owner', tokenMint: 'mint', tokenAccount: 'a' },
  { kind: 'user-payment-created', userPayment: 'u', owner: 'owner', tokenMint: 'mint', tokenAccount: 'b' },
  { kind: 'user-payment-deleted', userPayment: 'u' },
)
const policyEffects = fc.oneof(
  fc.constant<Effect>({ kind: 'policy-deleted', policy: 'p' }),
  fc
    .constantFrom('Active', 'Paused')
    .map((newStatus): Effect => ({ kind: 'policy-status-changed', policy: 'p', newStatus })),
  fc.bigInt(0n, 9n).map((amount): Effect => ({
    kind: 'payment',
    policy: 'p',
    gateway: 'g',
    amount,
    paidAt: amount,
    recordId: 1,
    recipient: null,
    payer: null,
    tokenMint: null,
    tracksPolicy: false,
  })),
)
const creation: Effect = {
  kind: 'policy-created',
  policy: 'p',
  family: 'regular',
  tokenMint: null,
  userPayment: 'u',
  recipient: 'r',
  gateway: 'g',
  policyId: 1,
  policyType: { name: 'Barter', text: '{"Barter":null}' },
  memo: null,
}
const created = eventAt(creation, 0)

t.test('events of a gateway give the same state in any order', async t => {
  const property = fc.property(ordersOf(gatewayEffects), ([events, shuffled]) => {
    const start = emptyGateway('g')
    assert.deepEqual(shuffled.reduce(applyToGateway, start), events.reduce(applyToGateway, start))
  })
  hold(t, 'the order of a gateway does not matter', property, RUNS)
})

t.test('events of a user payment give the same state in any order', async t => {
  const property = fc.property(ordersOf(userPaymentEffects), ([events, shuffled]) => {
    const start = emptyUserPayment('u')
    assert.deepEqual(shuffled.reduce(applyToUserPayment, start), events.reduce(applyToUserPayment, start))
  })
  hold(t, 'the order of a user payment does not matter', property, RUNS)
})

t.test(
  'events of a policy whose payments do not depend on their order give the same state in any order',
  async t => {
    const property = fc.property(ordersOf(policyEffects), ([events, shuffled]) => {
      const start = applyToPolicy(emptyPolicy('p'), created)
      assert.deepEqual(shuffled.reduce(applyToPolicy, start), events.reduce(applyToPolicy, start))
    })
    hold(t, 'the order of a policy does not matter after its Created event', property, RUNS)
  },
)
