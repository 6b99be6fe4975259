// Nodes that lie. The indexer publishes the majority's answer, or a gap where no majority exists.
// In one process with others: what tests load.
import t from 'tap'
import { waitFor, type StartedService } from '@payment-tracking/testkit'
import { openRig, pay, type Rig } from './open-rig.js'

const amounts = async (rig: Rig) => (await rig.events()).map(({ body }) => body.data.amount)
const HONEST = { amount: '1000000' }

function payOnce(rig: Rig, recordId: number) {
  rig.chain.advance()
  return rig.chain.execute([pay('a', recordId, HONEST)])
}

/** The same transaction with another amount. */
const forge = (rig: Rig, recordId: number, signature: string) => ({
  ...rig.chain.run([pay('a', recordId, { amount: '9999999' })]),
  signature,
})

const disagreements = (service: StartedService) =>
  service.figure('payment_tracking_indexer_disagreements_total')

t.test('two nodes that contradict each other are not believed until they agree', async t => {
  const rig = await openRig(t, { nodes: 2, env: { 'indexer.rescanEveryMs': '500' } })
  const [liar] = rig.nodes
  payOnce(rig, 1)
  const { signature } = payOnce(rig, 2)
  liar!.faults.lies.set(signature, forge(rig, 2, signature))
  const service = await rig.start()
  await rig.settle()
  t.same(await amounts(rig), ['1000000'])
  t.match((await rig.controls('gap'))[0], { body: { signature, reason: /NODES_DISAGREE/ } })
  t.ok((await disagreements(service)) > 0, 'the disagreement is counted')
  t.match(await service.waitForLog('indexer.nodes-disagree'), { signature })
  liar!.faults.lies.clear()
  await waitFor(() => rig.gapsClosed(), { what: 'the gap to be closed', timeoutMs: 30_000 })
  t.same(await amounts(rig), ['1000000', '1000000'])
})

t.test('two of three nodes decide: on contents, on success, on missing transactions', async t => {
  const rig = await openRig(t, { nodes: 3 })
  const [liar] = rig.nodes
  const sent = [1, 2, 3].map(recordId => payOnce(rig, recordId))
  const [first, second] = sent.map(({ signature }) => signature)
  liar!.faults.lies.set(first!, forge(rig, 1, first!))
  liar!.faults.lies.set(second!, { ...sent[1]!, err: { InstructionError: [0, 'Custom'] } })
  const invented = rig.chain.run([pay('a', 4, { amount: '9999999' })])
  liar!.faults.invented.push({ slot: rig.chain.tip, at: 7, transaction: invented, blockTime: 1_780_000_100 })
  const service = await rig.start()
  await rig.settle()
  t.same(await amounts(rig), ['1000000', '1000000', '1000000'])
  t.notOk(
    (await rig.read()).some(({ body }) => body.signature === invented.signature && body.data),
    'nothing is invented',
  )
  t.ok(await rig.gapsClosed())
  t.ok((await disagreements(service)) >= 2)
})

t.test('a transaction that one of two nodes invents is a gap, never an event', async t => {
  const rig = await openRig(t, { nodes: 2 })
  payOnce(rig, 1)
  const invented = rig.chain.run([pay('b', 1)])
  rig.nodes[0]!.faults.invented.push({
    slot: rig.chain.tip,
    at: 7,
    transaction: invented,
    blockTime: 1_780_000_100,
  })
  await rig.start()
  await rig.settle()
  t.equal((await rig.events()).length, 1)
  t.match(await rig.controls('gap'), [{ body: { signature: invented.signature, reason: /NODES_DISAGREE/ } }])
})

t.test('a node that is down delays nothing', async t => {
  const rig = await openRig(t, { nodes: 2 })
  rig.nodes[0]!.faults.down = true
  for (let recordId = 1; recordId <= 5; recordId++) payOnce(rig, recordId)
  const service = await rig.start()
  await rig.settle()
  t.equal((await rig.events()).length, 5)
  t.match(await service.waitForLog('indexer.node-unfit'), { fault: 'down' })
})

t.test('a node that is far behind is named, and everything arrives without it', async t => {
  const rig = await openRig(t, { nodes: 2 })
  payOnce(rig, 1)
  rig.chain.advance(300)
  rig.nodes[0]!.faults.lagSlots = 250
  const service = await rig.start()
  t.match(await service.waitForLog('indexer.node-lagging'), { node: new URL(rig.nodes[0]!.url).host })
  payOnce(rig, 2)
  await rig.settle()
  t.equal((await rig.events()).length, 2)
  t.ok((rig.nodes[1]!.calls.get('getTransaction') ?? 0) >= 2)
})
