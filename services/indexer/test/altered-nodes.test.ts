// Nodes whose answers are changed at random: each payment is published, or a gap names its transaction. Nothing is lost in
// silence, and nothing stops the indexer.
import type { RpcAnswer } from '@payment-tracking/simulator'
import t from 'tap'
import { change, changesOf } from './changes.js'
import { openRig, pay, stranger, type Rig } from './open-rig.js'

t.setTimeout(110_000)

/** Draws numbers below a bound, the same for the same seed. */
function openDraw(seed: number): (below: number) => number {
  let state = seed >>> 0
  return below => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** Changes two of three answers of some methods. */
function alter(draw: (below: number) => number, methods: readonly string[]) {
  return (method: string, answer: RpcAnswer): unknown => {
    if (!methods.includes(method) || draw(3) === 0) return answer
    const changes = [...changesOf(answer)]
    return change(answer, changes[draw(changes.length)]!)
  }
}

function payAll(rig: Rig, count: number): string[] {
  return Array.from({ length: count }, (_, at) => {
    rig.chain.advance()
    const paid = pay('a', at + 1)
    return rig.chain.execute([at % 2 ? paid : stranger({ call: paid })], { version: at % 3 ? 'legacy' : 0 })
      .signature
  })
}

const SEED = Number(process.env.SEED ?? 1)

t.test('beside a node that answers well, everything is published', async t => {
  const rig = await openRig(t, { nodes: 2 })
  rig.nodes[0]!.faults.alter = alter(openDraw(SEED), [
    'getTransaction',
    'getSlot',
    'getBlock',
    'getSignaturesForAddress',
    'getMultipleAccounts',
    'getFirstAvailableBlock',
  ])
  const sent = payAll(rig, 60)
  const service = await rig.start()
  await rig.settle()
  const published = new Set((await rig.events()).map(({ body }) => body.signature))
  const unpublished = sent.filter(signature => !published.has(signature))
  t.same(unpublished, [])
  t.notMatch(service.output, /indexer\.interrupted/)
})

t.test('alone, what cannot be read is a gap', async t => {
  const rig = await openRig(t, { nodes: 1, env: { 'indexer.patienceMs': '1' } })
  rig.nodes[0]!.faults.alter = alter(openDraw(SEED + 1), ['getTransaction'])
  const sent = payAll(rig, 60)
  const service = await rig.start()
  await rig.settle()
  const records = await rig.read()
  const published = new Set(records.map(({ body }) => body.signature))
  const unseen = sent.filter(signature => !published.has(signature))
  t.same(unseen, [], 'each payment is an event or a gap')
  const hasGap = records.some(({ kind }) => kind === 'control.gap')
  t.ok(hasGap, 'some became gaps')
  t.notMatch(service.output, /indexer\.interrupted/)
})

/** What the node answers for the first of a slot's two transactions, and the reason of the gap that it becomes. */
const NO_ANSWERS: [answer: string, of: (found: Found) => Partial<RpcAnswer>, reason: string | null][] = [
  ['is right', result => ({ result }), null],
  ['stays null', () => ({ result: null }), 'NO_TRANSACTION'],
  ['has no time', found => ({ result: { ...found, blockTime: null } }), 'NO_TIME'],
  ['is told in another slot', found => ({ result: { ...found, slot: 99_999 } }), 'UNREADABLE_ANSWER'],
  [
    'is an error, which is no error of the whole node',
    () => ({ error: { code: -32015, message: 'Transaction version (2) is not supported' } }),
    'UNREADABLE_ANSWER',
  ],
]
type Found = Record<string, unknown>

t.test('a block that no node had held back all payments: signatures order them', async t => {
  const rig = await openRig(t, { nodes: 1, env: { 'indexer.patienceMs': '1500' } })
  const slots = NO_ANSWERS.map((_, at) => {
    rig.chain.advance()
    return ['a', 'b'].map(of => rig.chain.execute([pay(`${of}${at}`, 1)]).signature).sort()
  })
  const { faults } = rig.nodes[0]!
  faults.noTransactionIndex = true
  faults.alter = (method, { jsonrpc, id, ...own }, [signature]) => {
    if (method === 'getBlock')
      return { jsonrpc, id, error: { code: -32009, message: 'Slot was skipped, or missing' } }
    const at = slots.findIndex(([first]) => first === signature)
    if (method !== 'getTransaction' || at < 0) return { jsonrpc, id, ...own }
    return { jsonrpc, id, ...NO_ANSWERS[at]![1](own.result as Found) }
  }
  const service = await rig.start()
  await rig.settle()
  const [events, gaps] = [await rig.events(), await rig.controls('gap')]
  for (const [at, [answer, , reason]] of NO_ANSWERS.entries()) {
    const published = events.map(({ body }) => body.signature).filter(each => slots[at]!.includes(each))
    t.same(published, reason === null ? slots[at] : slots[at]!.slice(1), answer)
    const reasons = gaps.flatMap(({ body }) => (body.signature === slots[at]![0] ? [body.reason] : []))
    t.same(reasons, reason === null ? [] : [reason], answer)
  }
  t.equal(gaps.length, NO_ANSWERS.length - 1)
  t.notOk(events.some(({ body }) => 'transaction_index' in body))
  await service.waitForLog('indexer.order-unknown')
  t.equal(await service.figure('payment_tracking_indexer_unordered_slots_total'), NO_ANSWERS.length)
})
