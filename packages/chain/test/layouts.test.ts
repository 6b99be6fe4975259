// Layouts of earlier versions of the program, byte by byte.
import bs58 from 'bs58'
import t from 'tap'
import { discriminatorOf, readEventBytes, readPaymentCount } from '../src/index.js'
import { derivePolicy } from '@payment-tracking/domain'

const key = (fill: number) => Buffer.alloc(32, fill)
const u32 = (value: number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}
const u64 = (value: bigint) => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigInt64LE(value)
  return bytes
}
const event = (name: string, ...parts: Uint8Array[]) =>
  Buffer.concat([discriminatorOf('event', name), ...parts])
const memo = Buffer.alloc(64, 'm')

/** A Subscription with as few or as many bytes as its options take. */
const subscription = ({ renewals, custom }: { renewals: boolean; custom: boolean }) =>
  Buffer.concat([
    Buffer.of(0),
    u64(5n),
    Buffer.of(1),
    renewals ? Buffer.concat([Buffer.of(1), u32(12)]) : Buffer.of(0),
    custom ? Buffer.concat([Buffer.of(6), u64(60n)]) : Buffer.of(2),
    u64(1_700_000_000n),
    // The caller owns the padding: all bytes there may be anything.
    Buffer.alloc(97, 1),
  ])

const created = (type: Uint8Array, count?: number) =>
  event(
    'PaymentPolicyCreated',
    key(1),
    key(2),
    key(3),
    u32(9),
    type,
    memo,
    count === undefined ? Buffer.alloc(0) : u32(count),
  )

const dataOf = (bytes: Uint8Array) => {
  const read = readEventBytes(bytes)
  return 'data' in read ? read.data : read.unreadable
}

t.test('a Created of 285 bytes is read right in its old and its new form', async t => {
  const old = created(subscription({ renewals: true, custom: false }))
  const now = created(subscription({ renewals: false, custom: false }), 8)
  t.equal(old.length, now.length)
  t.equal(old.length - 8, 285)
  t.match(dataOf(old), { policy_type: { Subscription: { max_renewals: 12 } } })
  t.notOk('created_policies_count' in (dataOf(old) as object))
  t.match(dataOf(now), { policy_type: { Subscription: { max_renewals: null } }, created_policies_count: 8 })
})

t.test('subscriptions of every length are told apart', async t => {
  for (const renewals of [true, false])
    for (const custom of [true, false])
      for (const count of [undefined, 3]) {
        const data = dataOf(created(subscription({ renewals, custom }), count)) as Record<string, unknown>
        t.equal(data.created_policies_count, count)
        t.same((data.policy_type as { Subscription: object }).Subscription, {
          amount: '5',
          auto_renew: true,
          max_renewals: renewals ? 12 : null,
          payment_frequency: custom ? { Custom: '60' } : { Monthly: null },
          next_payment_due: '1700000000',
        })
      }
})

const payAsYouGo = (...rest: Uint8Array[]) =>
  Buffer.concat([Buffer.of(2), u64(1n), u64(2n), u64(3n), u64(4n), u64(5n), ...rest])

t.test('PayAsYouGo with and without an expiry date is read from what is left', async t => {
  const old = payAsYouGo(Buffer.alloc(88))
  const none = payAsYouGo(Buffer.of(0), Buffer.alloc(79))
  const some = payAsYouGo(Buffer.of(1), u64(7n), Buffer.alloc(79))
  const expiryOf = (bytes: Uint8Array) => {
    const { PayAsYouGo } = (
      dataOf(bytes) as unknown as { policy_type: { PayAsYouGo: Record<string, unknown> } }
    ).policy_type
    return 'expiry_date' in PayAsYouGo ? PayAsYouGo.expiry_date : 'no such field'
  }
  for (const count of [undefined, 4]) {
    t.equal(expiryOf(created(old, count)), 'no such field')
    t.equal(expiryOf(created(none, count)), null)
    t.equal(expiryOf(created(some, count)), '7')
  }
})

t.test('an old PaymentRecord has neither payer nor recipient nor mint', async t => {
  const old = event('PaymentRecord', key(1), key(2), u64(-1n), u64(-5n), memo, u32(4))
  t.equal(old.length - 8, 148)
  t.same(dataOf(old), {
    payment_policy: bs58.encode(key(1)),
    gateway: bs58.encode(key(2)),
    amount: '18446744073709551615',
    timestamp: '-5',
    memo: [...memo],
    record_id: 4,
  })
})

t.test('a body that almost fits is refused', async t => {
  const payment = event('PaymentRecord', key(1), key(2), u64(1n), u64(5n), memo, u32(4))
  t.equal(dataOf(Buffer.concat([payment, Buffer.of(0)])), 'UNKNOWN_LAYOUT')
  t.equal(dataOf(payment.subarray(0, -1)), 'UNKNOWN_LAYOUT')
  t.equal(dataOf(event('EmergencyPauseChanged', key(1), Buffer.of(2, 1))), 'UNKNOWN_LAYOUT', 'a boolean of 2')
  t.equal(dataOf(event('PaymentPolicyStatusChanged', key(1), Buffer.of(0, 3))), 'UNKNOWN_LAYOUT', 'status 3')
  t.equal(dataOf(event('SomethingNew', key(1))), 'UNKNOWN_EVENT')
  t.equal(dataOf(Buffer.alloc(0)), 'EMPTY')
  t.equal(dataOf(Buffer.alloc(7)), 'EMPTY')
})

t.test('the payment count of an account is read where its address proves the layout', async t => {
  const programId = 'TRibg8W8zmPHQqWtyAD1rEBRXEdyU13Mu6qX1Sg42tJ'
  const address = derivePolicy(programId, bs58.encode(key(1)), 9)
  const account = (type: Uint8Array, policyId: number) =>
    Buffer.concat([
      discriminatorOf('account', 'PaymentPolicy'),
      key(1),
      key(2),
      key(3),
      type,
      Buffer.of(1),
      memo,
      u64(50n),
      u32(6),
      u64(0n),
      u64(0n),
      u32(policyId),
      Buffer.alloc(256),
    ])
  const count = (bytes: Uint8Array) => readPaymentCount(bytes, address, programId)
  t.equal(count(account(subscription({ renewals: true, custom: true }), 9)), 6)
  t.equal(count(account(payAsYouGo(Buffer.alloc(88)), 9)), 6, 'the old layout')
  t.equal(count(account(payAsYouGo(Buffer.of(0), Buffer.alloc(79)), 9)), 6, 'the new layout')
  t.equal(count(account(subscription({ renewals: true, custom: true }), 10)), null, 'of another policy')
  t.equal(count(Buffer.alloc(300)), null, 'no policy')
})
