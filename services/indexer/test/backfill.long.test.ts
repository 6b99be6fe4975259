// Where a backfill begins, where it goes on after a stop, and what wakes the indexer after it.
// In one process with others: what tests load.
import t from 'tap'
import { waitFor } from '@payment-tracking/testkit'
import { call, key, openRig, pay, recordIds, stranger, type Rig } from './open-rig.js'

/** Pays in a block of its own. @returns the slot */
function payIn(rig: Rig, recordId: number): number {
  rig.chain.advance()
  rig.chain.execute([pay('a', recordId)])
  return rig.chain.tip
}

t.test('a backfill begins at the configured slot, and expects nothing of what came before', async t => {
  const rig = await openRig(t)
  const [, second] = [1, 2, 3].map(recordId => payIn(rig, recordId))
  const service = await rig.start({ INDEXER_START_SLOT: String(second) })
  await rig.settle()
  t.same(await recordIds(rig), [2, 3])
  t.same(await rig.controls('gap'), [])
  const metrics = await service.metrics()
  for (const [name, value] of [
    ['leading', '1'],
    ['checkpoint_slot', String(rig.chain.finalized)],
    ['slots_behind', '0'],
    ['checkpoint_age_seconds', '\\d'],
    ['backfill_remaining_transactions', '0'],
  ] as const)
    t.match(metrics, new RegExp(`^payment_tracking_indexer_${name}[^ ]* ${value}`, 'm'), name)
})

t.test('a backfill that was stopped goes on from its last page', async t => {
  const rig = await openRig(t)
  const template = rig.chain.run([stranger({ text: 'x' })], { mentions: [call('transfer').program] })
  for (let block = 0; block < 24; block++) {
    payIn(rig, block + 1)
    for (let at = 0; at < 100; at++)
      rig.chain.add({ ...template, signature: `${key(`resumed ${block} ${at}`)}${key('r')}` })
    rig.chain.advance(10)
  }
  rig.chain.finalize()
  const [node] = rig.nodes
  node!.faults.delayMs = 25
  const first = await rig.start()
  await waitFor(async () => (await rig.through()) > 0, { what: 'the first page', timeoutMs: 30_000 })
  await first.stop()
  const through = await rig.through()
  t.ok(through < rig.chain.finalized, 'it was stopped on the way')
  const readBefore = node!.calls.get('getTransaction')!
  node!.faults.delayMs = 0
  const second = await rig.start()
  t.match(await second.waitForLog('indexer.following'), { resumed: true, through })
  await second.waitForLog('indexer.caught-up')
  t.ok(readBefore > 0)
  t.ok(node!.calls.get('getTransaction')! < 24 * 101 + 1_700, 'finished pages are not read again')
  const wanted = Array.from({ length: 24 }, (_, at) => at + 1)
  t.same(await recordIds(rig), wanted)
})

t.test('a socket wakes the indexer long before its next check of the chain', async t => {
  const rig = await openRig(t)
  const service = await rig.start({ INDEXER_POLL_MS: '60000' })
  await service.waitForLog('indexer.socket-open')
  await service.waitForLog('indexer.caught-up')
  payIn(rig, 1)
  rig.chain.finalize()
  await waitFor(async () => (await rig.events()).length > 0, { what: 'the payment' })
  t.same(await recordIds(rig), [1])
})
