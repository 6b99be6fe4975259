// Which payments count for an expectation: those that get their recipient and token from later events, and those that were stored
// before the expectation, or at the same moment.
import { DEFAULT_PROGRAM_ID } from '@payment-tracking/contracts'
import { buildAddress, buildChain } from '@payment-tracking/testkit'
import t from 'tap'
import { cancelExpectation } from '../../../src/admin/expectations/cancel-expectation.js'
import { readExpectation } from '../../../src/reads/expectations/list-expectations.js'
import { runTaskPage } from '../../../src/ingest/batch/do-work.js'
import { WorkOrder } from '../../../src/core/tasks/work-order.js'
import { GATEWAY, openShop, RECIPIENT } from './open-shop.js'

t.test('a payment before its policy', async t => {
  const shop = await openShop(t)
  const webhook = await shop.addWebhook()
  const chain = buildChain({ seed: 'details', firstSlot: 2_000_000 })
  const gateway = await chain.openGateway('shop')
  const mint = buildAddress('mint of the plan')
  const userPayment = await chain.openUserPayment(mint)
  const policy = await chain.openPolicy(gateway, userPayment, {
    trackingId: 'plan-1',
    recipient: RECIPIENT,
    amount: 100n,
  })
  const { payer: _payer, recipient: _recipient, token_mint: _mint, ...data } = chain.pay(policy).data
  const paid = { ...chain.pay(policy), data }
  const { record } = await shop.expectCounted({ trackingId: 'plan-1', tokenMint: mint })
  await shop.commit([paid])
  t.match((await readExpectation(shop.store, record.id))?.record, { state: 'open', paymentCount: 0n })
  await shop.commit([policy.created])
  t.match((await readExpectation(shop.store, record.id))?.record, { state: 'open' }, 'the token is not known')
  await shop.commit([userPayment.created])
  t.match((await readExpectation(shop.store, record.id))?.record, { state: 'paid', paymentCount: 1n })
  const sent = (await shop.sent(webhook)).map(({ type }) => type)
  t.same(sent, ['paid'])
  await shop.retract(policy.created)
  await shop.work()
  t.match((await readExpectation(shop.store, record.id))?.record, { state: 'open', paymentCount: 0n })
})

t.test('what is stored before counts when ingest has counted it, in pages, and is told once', async t => {
  const shop = await openShop(t)
  const webhook = await shop.addWebhook()
  const trackingId = shop.nextOrder()
  const stored = Array.from({ length: 25 }, () => shop.pay({ amount: 4n }))
  await shop.commit([...stored, shop.pay({ amount: 50n, recipient: buildAddress('thief') })])
  const created = await shop.expect({ trackingId })
  t.match(created, { isNew: true, awaitsCount: true, record: { state: 'open', paidAmount: 0n } })
  t.match(await shop.expect({ trackingId }), { isNew: false, record: created.record }, 'the same again')
  const { id } = created.record
  await t.rejects(cancelExpectation(shop.store, GATEWAY, id), { code: 'EXPECTATION_COUNTING' })
  const page = () =>
    runTaskPage(shop.store, { programId: DEFAULT_PROGRAM_ID, sizer: { rowsOf: () => 10, note: () => {} } })
  await page()
  t.match(await readExpectation(shop.store, id), { counting: true, record: { paidAmount: 40n } }, 'a page')
  t.same(await shop.sent(webhook), [], 'nobody is told of a part of what is stored')
  await shop.retract(stored[0]!)
  const last = shop.pay({ amount: 4n })
  await shop.commit([last])
  await shop.work(10)
  t.match(await readExpectation(shop.store, id), { counting: false, changes: 1n, record: { state: 'paid' } })
  t.match(await shop.sent(webhook), [
    { type: 'paid', paidAmountString: '100', paymentCount: 25, eventId: await shop.idOf(last) },
  ])
  t.same(await shop.sums(id), { wrong: false, final_wrong: false })
  t.match(await shop.expect({ trackingId: shop.nextOrder() }), { awaitsCount: false }, 'nothing stored')
})

t.test('an expectation whose time passed while it was counted did not expire where it was paid', async t => {
  const shop = await openShop(t)
  const webhook = await shop.addWebhook()
  for (const [amount, types] of [
    [100n, ['paid']],
    [30n, ['expired']],
  ] as const) {
    const trackingId = shop.nextOrder()
    await shop.commit([shop.pay({ amount })])
    const { record } = await shop.expect({ trackingId, expiresAt: new Date(Date.now() + 3_600_000) })
    await shop.passTime(record.id)
    await shop.work()
    const told = (await shop.sent(webhook)).map(({ type }) => type)
    t.same(told, types)
    await shop.forgetSent()
  }
})

t.test('of payments and expectations of one moment each payment counts once', async t => {
  const shop = await openShop(t)
  const webhook = await shop.addWebhook()
  let isOver = false
  const works = (async () => {
    while (!isOver) await shop.work(20)
  })()
  const ids: string[] = []
  for (let round = 0; round < 12; round++) {
    const trackingId = shop.nextOrder()
    const batches = [0, 1, 2].map(() => [shop.pay({ amount: 20n }), shop.pay({ amount: 20n })])
    const [created] = await Promise.all([
      shop.expect({ trackingId }),
      (async () => {
        for (const batch of batches) await shop.commit(batch)
      })(),
    ])
    ids.push(created.record.id)
  }
  isOver = true
  await works
  await shop.work()
  for (const id of ids) {
    t.match(await readExpectation(shop.store, id), {
      counting: false,
      record: { state: 'overpaid', paidAmount: 120n, paymentCount: 6n },
    })
    t.same(await shop.sums(id), { wrong: false, final_wrong: false })
  }
  const sent = await shop.sent(webhook)
  t.equal(new Set(sent.map(({ id }) => id)).size, sent.length, 'each change is told once')
})

t.test("one gateway's expectations behind long histories delayed another gateway's", async t => {
  const shop = await openShop(t)
  const busy = shop.nextOrder()
  await shop.commit(Array.from({ length: 60 }, () => shop.pay({ amount: 1n })))
  const stranger = buildAddress('stranger')
  for (let count = 0; count < 8; count++)
    await shop.expect({ trackingId: busy, gateway: stranger, recipient: buildAddress(`nobody ${count}`) })
  const trackingId = shop.nextOrder()
  await shop.commit([shop.pay({ amount: 100n })])
  const { record } = await shop.expect({ trackingId })
  const order = new WorkOrder()
  const page = () =>
    runTaskPage(shop.store, {
      programId: DEFAULT_PROGRAM_ID,
      sizer: { rowsOf: () => 10, note: () => {} },
      order,
    })
  await page()
  await page()
  t.match(await readExpectation(shop.store, record.id), { counting: false, record: { state: 'paid' } })
  let pages = 2
  while ((await page()).length > 0) pages++
  t.ok(pages > 40, `${pages} pages of the other`)
})

t.test('a cancellation whose count ends between its statements is not called paid', async t => {
  const shop = await openShop(t)
  const { record } = await shop.expect({ trackingId: shop.nextOrder() })
  const { database } = shop.store
  const write: typeof database.write = async statement => {
    const rows = await database.write(statement)
    await shop.work()
    return rows as never
  }
  const interrupted = { ...shop.store, database: { ...database, write } }
  await t.rejects(cancelExpectation(interrupted, GATEWAY, record.id), { code: 'EXPECTATION_COUNTING' })
  t.match(await cancelExpectation(shop.store, GATEWAY, record.id), { record: { state: 'cancelled' } })
})
