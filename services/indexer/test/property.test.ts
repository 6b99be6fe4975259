// Any sequence of program calls, calls by other programs and forgeries: the stream holds exactly the events that the
// model emits, in order, once. Every transaction runs in the virtual machine; the indexer reads two nodes with faults.
import fc from 'fast-check'
import t from 'tap'
import { call, openRig, OTHER, paymentBytes, stranger, type Rig } from './open-rig.js'

t.setTimeout(110_000)

type PuppetCall = ReturnType<typeof stranger>
type Step = PuppetCall['steps'][number]

/** The parts of a transaction. `pay` holds the calls that the program makes before it logs its payment. */
type Node =
  | { kind: 'pay'; before: Node[] }
  | { kind: 'forge' }
  | { kind: 'imitate' }
  | { kind: 'stranger'; inside: Node[] }

interface Plan {
  calls: Node[]
  fails: boolean
}

// A program on the stack may not be called again, so a third program stands for a stranger's stranger.
const leaf: fc.Arbitrary<Node> = fc.constantFrom({ kind: 'forge' }, { kind: 'imitate' })
const payment: fc.Arbitrary<Node> = fc.record({
  kind: fc.constant('pay' as const),
  before: fc.array(
    fc.record({ kind: fc.constant('stranger' as const), inside: fc.array(leaf, { maxLength: 1 }) }),
    { maxLength: 1 },
  ),
})
const inner: fc.Arbitrary<Node> = fc.record({
  kind: fc.constant('stranger' as const),
  inside: fc.array(fc.oneof(leaf, payment), { maxLength: 2 }),
})
const outer: fc.Arbitrary<Node> = fc.record({
  kind: fc.constant('stranger' as const),
  inside: fc.array(fc.oneof(leaf, payment, inner), { maxLength: 2 }),
})
const plan: fc.Arbitrary<Plan> = fc.record({
  calls: fc.array(fc.oneof(payment, payment, outer), { minLength: 1, maxLength: 3 }),
  fails: fc.oneof({ weight: 1, arbitrary: fc.constant(true) }, { weight: 4, arbitrary: fc.constant(false) }),
})

/** Turns a plan into calls, and returns the payments that it emits, in order. */
function build({ calls, fails }: Plan, nextRecord: () => number) {
  const emitted: number[] = []
  const toStep = (node: Node, depth: number): Step => {
    if (node.kind === 'forge') return { log: paymentBytes('p', 1_000_000 + depth) }
    if (node.kind === 'imitate')
      return {
        text: `Program data: ${Buffer.from(paymentBytes('p', 2_000_000)).toString('base64').slice(0, 80)}`,
      }
    return { call: toCall(node, depth) }
  }
  const toCall = (node: Node, depth: number): PuppetCall => {
    if (node.kind === 'pay') {
      const before = node.before.map(each => toStep(each, depth + 1))
      const recordId = nextRecord()
      emitted.push(recordId)
      return call('execute_payment', ...before, { log: paymentBytes('p', recordId) })
    }
    const steps = node.kind === 'stranger' ? node.inside.map(each => toStep(each, depth + 1)) : []
    const made = stranger(...steps)
    return depth === 0 ? made : { ...made, program: OTHER }
  }
  const made = calls.map(each => toCall(each, 0))
  return { calls: fails ? [...made, stranger({ fail: true })] : made, emitted }
}

/** Runs a plan in its own block. @returns the expected records; none when the transaction failed or does not fit */
function run(rig: Rig, { calls, emitted }: ReturnType<typeof build>): number[] {
  rig.chain.advance()
  try {
    return rig.chain.execute(calls).err === null ? emitted : []
  } catch {
    // Larger than the maximum size of a transaction.
    return []
  }
}

t.test('every emitted event arrives, in order, once', async t => {
  const rig = await openRig(t, { nodes: 2 })
  let record = 0
  const expected: number[] = []
  let ran = 0
  const seed = Number(process.env.SEED ?? 1)
  t.comment(`SEED=${seed}`)
  const plans = fc.sample(plan, { numRuns: 300, seed })
  for (const each of plans) {
    const before = record
    const arrives = run(
      rig,
      build(each, () => (record += 1)),
    )
    // The number of a failed transaction is used again: the program numbers without holes.
    if (arrives.length === 0) record = before
    else ran++
    expected.push(...arrives)
  }
  t.ok(ran > 50, `${ran} transactions emitted ${expected.length} payments`)
  const [a, b] = rig.nodes
  a!.faults.untidyList = true
  b!.faults.noTransactionIndex = true
  b!.faults.rateLimited = 3
  a!.faults.lagSlots = 2
  await rig.start()
  await rig.settle()
  const arrived = (await rig.events()).map(({ body }) => body.data.record_id)
  t.same(arrived, expected)
  t.same(await rig.controls('gap'), [])
})
