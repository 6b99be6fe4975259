// Faults of nodes, one at a time and several at once: everything still arrives once, or becomes a gap.
import t from 'tap'
import { waitFor } from '@payment-tracking/testkit'
import { call, key, numbers, openRig, pay, payMany, recordIds, stranger, type Rig } from './open-rig.js'

t.test('null answers, unknown times, wrong slots, 429, delays and silent sockets only take time', async t => {
  const rig = await openRig(t, { nodes: 2 })
  const [a, b] = rig.nodes as [Rig['nodes'][0], Rig['nodes'][0]]
  const sent = payMany(rig, 'a', 1, 12)
  a.faults.nullTransactions = new Set([sent[1]!, sent[2]!])
  b.faults.nullTransactions = new Set([sent[2]!])
  a.faults.nullTimes = new Set([sent[3]!])
  a.faults.wrongSlots = new Set([sent[4]!])
  a.faults.missing = new Set([sent[5]!])
  b.faults.missing = new Set([sent[6]!])
  a.faults.rateLimited = 5
  a.faults.untidyList = true
  b.faults.delayMs = 20
  b.faults.lagSlots = 3
  a.faults.silentSockets = b.faults.silentSockets = true
  const service = await rig.start()
  rig.chain.finalize()
  await service.waitForLog('indexer.node-unfit', ({ fault }) => fault === 'not-ready')
  t.ok((await rig.through()) < rig.chain.finalized, 'nothing is skipped because a node answers null')
  a.faults.nullTransactions.clear()
  await rig.settle()
  // A transaction that a node hid comes late; everything else is in order.
  const arrived = await recordIds(rig)
  const found = arrived.toSorted((x, y) => x - y)
  t.same(found, numbers(1, 12), 'all, once')
  t.ok(await rig.gapsClosed(), 'no gap is left open')
  const metrics = await service.metrics()
  t.match(
    metrics,
    /indexer_requests_total\{node="127\.0\.0\.1:\d+",method="\w+",result="rate-limited"\} [1-9]/,
  )
})

t.test('a log that one node cut short is read from another, or closes its gap later', async t => {
  const rig = await openRig(t, { nodes: 2, env: { 'indexer.rescanEveryMs': '500' } })
  const [a, b] = rig.nodes
  const [first, second] = payMany(rig, 'a', 1, 3)
  a!.faults.shortLogs = new Set([first!, second!])
  b!.faults.shortLogs = new Set([second!])
  await rig.start()
  await rig.settle()
  t.same(await recordIds(rig), [1, 3])
  t.match((await rig.controls('gap')).slice(0, 2), [
    { body: { signature: second, reason: /LOG_TRUNCATED/ } },
    { body: { reason: /record_id 2 of .* was never seen/ } },
  ])
  b!.faults.shortLogs.clear()
  await waitFor(() => rig.gapsClosed(), { what: 'both gaps to be closed', timeoutMs: 40_000 })
  t.same(await recordIds(rig), [1, 3, 2])
})

t.test('a list that ends too early does not count as the beginning', async t => {
  const rig = await openRig(t)
  const [node] = rig.nodes
  payMany(rig, 'a', 1, 3)
  const service = await rig.start()
  await rig.settle()
  await service.stop()
  const template = rig.chain.run([stranger({ text: 'x' })], { mentions: [call('transfer').program] })
  for (let block = 0; block < 12; block++) {
    payMany(rig, 'a', 4 + block, 1)
    for (let at = 0; at < 100; at++)
      rig.chain.add({ ...template, signature: `${key(`${block} ${at}`)}${key('y')}` })
  }
  rig.chain.advance(200)
  node!.faults.emptyPages = true
  const successor = await rig.start()
  await successor.waitForLog('indexer.list-incomplete')
  t.same(await recordIds(rig), [1, 2, 3], 'nothing is published over a hole')
  node!.faults.emptyPages = false
  await rig.settle()
  t.same(await recordIds(rig), numbers(1, 15))
})

t.test('a list that takes long says how far back it is', async t => {
  const rig = await openRig(t)
  const template = rig.chain.run([stranger({ text: 'x' })], { mentions: [call('transfer').program] })
  for (let block = 0; block < 25; block++) {
    rig.chain.advance()
    for (let at = 0; at < 100; at++)
      rig.chain.add({ ...template, signature: `${key(`long ${block} ${at}`)}${key('z')}` })
  }
  rig.chain.finalize()
  rig.nodes[0]!.faults.delayMs = 800
  const service = await rig.start()
  const { transactions, backToSlot } = await service.waitForLog('indexer.listing')
  t.ok(Number(transactions) >= 900 && Number(transactions) <= 2_500, `${String(transactions)} transactions`)
  t.ok(Number(backToSlot) >= rig.chain.firstSlot && Number(backToSlot) < rig.chain.finalized)
})

t.test('a pruned node is told from the beginning of the program', async t => {
  const rig = await openRig(t)
  rig.nodes[0]!.faults.firstAvailableBlock = rig.chain.tip + 3
  payMany(rig, 'a', 1, 5)
  const service = await rig.start()
  rig.chain.finalize()
  const line = await service.waitForLog('indexer.list-incomplete')
  t.match(line.reason, /INDEXER_START_SLOT=/)
  t.same(await rig.events(), [])
})

t.test('a missing number is a gap until its transaction appears, through restarts', async t => {
  const rig = await openRig(t, { nodes: 2, env: { 'indexer.rescanEveryMs': '500' } })
  const sent = payMany(rig, 'a', 1, 3)
  for (const node of rig.nodes) node.faults.missing = new Set([sent[1]!])
  const service = await rig.start()
  await rig.settle()
  await service.waitForLog('indexer.counter-hole')
  t.same(await recordIds(rig), [1, 3])
  t.match(await rig.controls('gap'), [{ body: { reason: /record_id 2 of .* was never seen/ } }])
  await service.stop('SIGKILL')
  // Only a successor that knows the counters can see the hole before the next payment.
  const more = payMany(rig, 'a', 4, 2)
  for (const node of rig.nodes) node.faults.missing.add(more[0]!)
  await rig.start()
  await rig.settle()
  t.match(await rig.controls('gap'), [{}, { body: { reason: /record_id 4 of .* was never seen/ } }])
  for (const node of rig.nodes) node.faults.missing.clear()
  await waitFor(() => rig.gapsClosed(), { what: 'both gaps to be closed', timeoutMs: 30_000 })
  t.same(await recordIds(rig), [1, 3, 5, 2, 4])
})

t.test('nodes of two chains, or a checkpoint of another chain, end the indexer with the reason', async t => {
  const rig = await openRig(t, { nodes: 2 })
  rig.nodes[1]!.faults.genesisHash = key('another chain')
  const service = await rig.start({}, { waitUntilReady: false })
  t.equal(await service.exited, 1)
  t.match(service.output, /nodes of different chains/)
  rig.nodes[1]!.faults.genesisHash = null
  const good = await rig.start()
  payMany(rig, 'a', 1, 1)
  await rig.settle()
  await good.stop()
  for (const node of rig.nodes) node.faults.genesisHash = key('another chain')
  const foreign = await rig.start({}, { waitUntilReady: false })
  t.equal(await foreign.exited, 1)
  t.match(foreign.output, /CHECKPOINT_MISMATCH/)
})

t.test('many payments of one slot come in the order of the block, whatever the list says', async t => {
  const rig = await openRig(t)
  const { faults } = rig.nodes[0]!
  const payInOneBlock = (from: number) => {
    rig.chain.advance()
    for (let id = from; id < from + 8; id++) rig.chain.execute([pay('a', id)])
  }
  faults.noTransactionIndex = true
  payInOneBlock(1)
  await rig.start()
  await rig.settle()
  faults.noTransactionIndex = false
  faults.untidyList = true
  payInOneBlock(9)
  await rig.settle()
  t.same(
    (await rig.events()).map(({ body }) => [body.data.record_id, body.transaction_index]),
    [...numbers(1, 8), ...numbers(9, 16)].map((id, at) => [id, at % 8]),
  )
})
