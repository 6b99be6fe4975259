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
  t.same(
    sent.filter(signature => !published.has(signature)),
    [],
  )
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
  t.same(
    sent.filter(signature => !published.has(signature)),
    [],
    'each payment is an event or a gap',
  )
  t.ok(
    records.some(({ kind }) => kind === 'control.gap'),
    'some became gaps',
  )
  t.notMatch(service.output, /indexer\.interrupted/)
})
