import type { TrackedPolicy } from '@payment-tracking/domain'
import t from 'tap'
import { RecentValues } from '../src/rooms/recent-values.js'
import { indexPolicies, WatchedRoom } from '../src/rooms/watched-room.js'

const order = (position: number): string => position.toString(16).padStart(64, '0')

const policyOf = (address: string, more: Partial<TrackedPolicy> = {}): TrackedPolicy => ({
  address,
  incarnationStart: order(1),
  family: 'regular',
  policyId: 1,
  gateway: 'g',
  recipient: 'r',
  trackingId: 'order',
  tokenMint: null,
  payer: null,
  status: 'active',
  paymentCount: 0n,
  totalPaid: 0n,
  nextPaymentDue: null,
  deletedOrder: null,
  statusOrder: null,
  lastPaymentOrder: null,
  changedStatus: null,
  live: true,
  notices: [],
  ...more,
})

t.test('the oldest value is forgotten', async t => {
  const values = new RecentValues(2)
  for (const value of ['one', 'two', 'two', 'three']) values.add(value)
  t.same(values.all(), ['two', 'three'])
  t.notOk(values.has('one'))
})

t.test('a room remembers 1,000 ids, creations and deleted policies, and no more', async t => {
  const room = new WatchedRoom('order')
  const addresses = Array.from({ length: 1_500 }, (_, n) => `policy ${n}`)
  for (const address of addresses) {
    room.noteSent(address)
    room.noteCreated(address)
  }
  room.baseline([])
  t.notOk(room.hasSent('policy 499'))
  t.ok(room.hasSent('policy 500'))
  t.equal(room.addresses().length, 1_000)

  const living = policyOf('living')
  const deleted = addresses.map(address => policyOf(address, { live: false, deletedOrder: order(2) }))
  const { apply } = room.compare(addresses, indexPolicies([living, ...deleted]))
  apply()
  t.equal(room.addresses().length, 1_001, 'living policies are always kept')
  t.ok(room.addresses().includes('living'))
})

t.test('a check that was not applied is repeated', async t => {
  const room = new WatchedRoom('order')
  room.baseline([])
  room.noteCreated('brief')
  const read = indexPolicies([policyOf('brief', { live: false, deletedOrder: order(2) })])
  const check = () => room.compare(room.addresses(), read)
  const types = () => check().changes.map(({ difference }) => difference.type)
  t.same(types(), ['subscription.created', 'subscription.deleted'])
  t.same(types(), ['subscription.created', 'subscription.deleted'])
  check().apply()
  t.same(types(), [])
})
