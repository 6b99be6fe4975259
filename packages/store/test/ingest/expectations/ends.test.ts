// What is expected ends: it is given up, or its time is over. Every other change is a law of packages/store/test/laws.
import { type ExpectationState } from '@payment-tracking/domain'
import t from 'tap'
import { cancelExpectation } from '../../../src/admin/expectations/cancel-expectation.js'
import { listExpectations, readExpectation } from '../../../src/reads/expectations/list-expectations.js'
import { GATEWAY, openShop } from './open-shop.js'

const shop = await openShop(t)
const webhook = await shop.addWebhook()
const whenFinal = await shop.addWebhook({ finality: 'finalized' })

const read = async (id: string) => (await readExpectation(shop.store, id))!
const inAnHour = () => new Date(Date.now() + 3_600_000)

t.test('a part is given up, and what comes later is nothing', async t => {
  const trackingId = shop.nextOrder()
  const { record } = await shop.expectCounted({ trackingId })
  await shop.commit([shop.pay({ amount: 30n })])
  t.match(await cancelExpectation(shop.store, GATEWAY, record.id), {
    isNew: true,
    record: {
      state: 'cancelled',
      paidAmount: 0n,
      paymentCount: 0n,
      payments: [],
      finality: null,
      eventId: null,
    },
  })
  await shop.commit([shop.pay({ amount: 70n })])
  t.match(await read(record.id), { changes: 2n, record: { state: 'cancelled' } })
  t.match(await cancelExpectation(shop.store, GATEWAY, record.id), { isNew: false }, 'again')
  await shop.check()
  t.match(await read(record.id), { changes: 2n, record: { state: 'cancelled', paidAmount: 0n } })
  const types = (await shop.sent(webhook)).map(({ type }) => type)
  t.same(types, ['underpaid'])
  await shop.forgetSent()
})

t.test('cancelling just after expiresAt left out .expired, and sockets without cancelled', async t => {
  const trackingId = shop.nextOrder()
  const { record } = await shop.expectCounted({ trackingId, expiresAt: inAnHour() })
  const part = shop.pay({ amount: 30n })
  await shop.commit([part])
  await shop.forgetSent()
  await shop.passTime(record.id)
  t.match(await read(record.id), { changes: 2n, record: { state: 'expired' } }, 'nobody has written it')
  const { record: cancelled } = (await cancelExpectation(shop.store, GATEWAY, record.id))!
  const before = await read(record.id)
  t.match(before, { changes: 3n, record: cancelled }, 'readers know at once')
  const list = (state: ExpectationState) =>
    listExpectations(shop.store, GATEWAY, { state, trackingId, limit: 10 }).then(page => page!.items.length)
  t.same([await list('cancelled'), await list('expired'), await list('underpaid')], [1, 0, 0])
  await shop.check()
  t.same(await read(record.id), before, 'the scheduler writes the same')
  t.same([await list('cancelled'), await list('expired'), await list('underpaid')], [1, 0, 0])
  for (const to of [webhook, whenFinal])
    t.match(
      await shop.sent(to),
      [{ type: 'expired', state: 'expired', eventId: null, position: null }],
      'the notice does not depend on when the scheduler checks',
    )
  const [told] = await shop.sent(webhook)
  t.match(told, { paidAmountString: '30', payments: [await shop.idOf(part)] }, 'what had come until then')
  await shop.check()
  t.equal((await shop.sent(webhook)).length, 1, 'once')
  await shop.forgetSent()
})

t.test('a part after the end was told to nobody', async t => {
  const trackingId = shop.nextOrder()
  const { record } = await shop.expectCounted({ trackingId, expiresAt: inAnHour() })
  const first = shop.pay({ amount: 30n })
  await shop.commit([first])
  const [running] = await shop.tell([shop.pay({ amount: 5n })])
  t.match(running, { changes: 2, data: { state: 'underpaid', paidAmountString: '35' } }, 'the new sum')
  await shop.passTime(record.id)
  await shop.forgetSent()
  const late = shop.pay({ amount: 30n })
  const told = await shop.tell([late])
  t.match(
    told.map(({ changes, data }) => [changes, data.state, data.paidAmountString]),
    [
      [3, 'expired', '35'],
      [4, 'expired', '65'],
    ],
  )
  const [expired, part] = await shop.sent(webhook)
  t.match(expired, { type: 'expired', paidAmountString: '35', eventId: null, position: null })
  t.match(part, {
    type: 'underpaid',
    state: 'expired',
    paidAmountString: '65',
    eventId: await shop.idOf(late),
  })
  t.equal(part!.position, await shop.positionOf(late))
  t.same(JSON.parse(JSON.stringify(told[1]!.data)), { ...(await shop.shown(record.id)) }, 'as it reads')
  t.equal(told[1]!.position, String(part!.position))
  await shop.commit([shop.pay({ amount: 1n })])
  const taken = await shop.tell([], [shop.retractionOf(late)])
  t.match(
    taken,
    [{ data: { state: 'expired', paidAmountString: '36', eventId: await shop.idOf(late) } }],
    'a retraction is the cause',
  )
  const notices = await shop.sent(webhook)
  t.same(
    notices.map(({ type, paidAmountString }) => [type, paidAmountString]),
    [
      ['expired', '35'],
      ['underpaid', '65'],
      ['underpaid', '66'],
    ],
    'a part that is taken back tells endpoints nothing',
  )
  t.equal(new Set(notices.map(({ changedAt }) => changedAt)).size, 3, 'each has a time of its own')
  await shop.finalize(first)
  t.match(await shop.sent(whenFinal), [
    { type: 'expired', paidAmountString: '0' },
    { type: 'underpaid', state: 'expired', paidAmountString: '30', eventId: await shop.idOf(first) },
  ])
  await shop.forgetSent()
})
