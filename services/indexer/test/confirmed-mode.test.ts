// INDEXER_COMMITMENT=confirmed: payments come before they are final, and are retracted when their fork is lost.
import t from 'tap'
import { waitFor } from '@payment-tracking/testkit'
import { openRig, pay, type Rig } from './open-rig.js'

t.setTimeout(110_000)

const EARLY = { INDEXER_COMMITMENT: 'confirmed' }

/** Pays in a block of its own and lets the block be confirmed. */
function payConfirmed(rig: Rig, policy: string, recordId: number) {
  rig.chain.advance()
  const { signature } = rig.chain.execute([pay(policy, recordId)])
  const slot = rig.chain.tip
  rig.chain.advance(2)
  return { signature, slot }
}

const eventCount = async (rig: Rig, count: number) =>
  waitFor(async () => (await rig.events()).length >= count, { what: `${count} events` })

t.test('one after the other, of one chain', async t => {
  const rig = await openRig(t)
  const first = await rig.start(EARLY)
  await first.waitForLog('indexer.socket-open')

  t.test('a confirmed payment is published at once, and a watermark makes it final', async t => {
    const { slot } = payConfirmed(rig, 'a', 1)
    await eventCount(rig, 1)
    t.match(await rig.events(), [{ kind: 'PaymentRecord', body: { slot, commitment: 'confirmed' } }])
    await rig.settle()
    await waitFor(
      async () => (await rig.controls('finalized')).some(({ body }) => Number(body.slot) >= slot),
      { what: 'a watermark' },
    )
    t.equal((await rig.events()).length, 1, 'it is published once')
    t.same(await rig.controls('retracted'), [])
  })

  t.test('a payment on a lost fork is retracted, and published again where it lands', async t => {
    const lost = payConfirmed(rig, 'b', 1)
    const moved = payConfirmed(rig, 'b', 2)
    await eventCount(rig, 3)
    rig.chain.dropBlock(lost.slot)
    const [transaction] = rig.chain.dropBlock(moved.slot)
    rig.chain.advance()
    rig.chain.add(transaction!)
    const landed = rig.chain.tip
    await rig.settle()
    await waitFor(async () => (await rig.controls('retracted')).length >= 2, { what: 'two retractions' })
    const retracted = (await rig.controls('retracted')).map(({ body }) => [body.signature, body.slot])
    t.same(
      retracted.sort((a, b) => Number(a[1]) - Number(b[1])),
      [
        [lost.signature, lost.slot],
        [moved.signature, moved.slot],
      ],
    )
    const order = (await rig.read()).filter(({ body }) => body.signature === moved.signature)
    t.match(
      order.map(({ kind, body }) => [kind, body.slot]),
      [
        ['PaymentRecord', moved.slot],
        ['control.retracted', moved.slot],
        ['PaymentRecord', landed],
      ],
      'the retraction comes between the two',
    )
  })

  t.test('a successor knows the early payments, and retracts those that did not become final', async t => {
    await rig.settle()
    const before = (await rig.events()).length
    const lost = payConfirmed(rig, 'c', 1)
    const kept = payConfirmed(rig, 'c', 2)
    await eventCount(rig, before + 2)
    await first.stop('SIGKILL')
    rig.chain.dropBlock(lost.slot)
    const second = await rig.start(EARLY)
    await second.waitForLog('indexer.leading')
    await rig.settle()
    await waitFor(async () => (await rig.controls('retracted')).length > 2, { what: 'the retraction' })
    const { signature, slot } = lost
    t.match((await rig.controls('retracted')).slice(2), [{ body: { signature, slot } }])
    const signatures = new Set((await rig.events()).slice(before).map(({ body }) => body.signature))
    t.same(signatures, new Set([lost.signature, kept.signature]))
  })
})

t.test('early payments state their place, also when nodes do not report it', async t => {
  const rig = await openRig(t)
  rig.nodes[0]!.faults.noTransactionIndex = true
  const service = await rig.start(EARLY)
  await service.waitForLog('indexer.socket-open')
  rig.chain.advance()
  for (const recordId of [1, 2, 3]) rig.chain.execute([pay('a', recordId)])
  rig.chain.advance(2)
  await eventCount(rig, 3)
  t.same(
    (await rig.events()).map(({ body }) => [body.data.record_id, body.transaction_index, body.commitment]),
    [1, 2, 3].map(recordId => [recordId, recordId - 1, 'confirmed']),
  )
})

t.test('two nodes that contradict each other publish nothing early', async t => {
  const rig = await openRig(t, { nodes: 2 })
  const service = await rig.start(EARLY)
  await service.waitForLog('indexer.socket-open')
  rig.chain.advance()
  const { signature } = rig.chain.execute([pay('a', 1)])
  const forged = { ...rig.chain.run([pay('a', 1, { amount: '9' })]), signature }
  rig.nodes[0]!.faults.lies.set(signature, forged)
  rig.chain.advance(2)
  await service.waitForLog('indexer.nodes-disagree')
  t.same(await rig.events(), [])
  rig.nodes[0]!.faults.lies.clear()
  await rig.settle()
  t.equal((await rig.events()).length, 1)
})
