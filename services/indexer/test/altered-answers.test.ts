// Every change of every member of a correct answer: the answer gives the same events, or it is refused or a gap. It never
// gives fewer events without a word.
import t from 'tap'
import { readAnswer } from '../src/nodes/answers.js'
import { NodeError } from '../src/nodes/node-error.js'
import { readTransaction } from '../src/nodes/read-transaction.js'
import { OTHER, pay, PROGRAM, stranger } from './open-rig.js'
import { openSimulatedNode, SimulatedChain, type PuppetCall } from '@payment-tracking/simulator'

const WRONG_TYPES: readonly unknown[] = [null, true, -1, 0.5, 1e300, '', 'x y', [], [null], {}, { a: 1 }]

/** A path into a value, and what stands there instead; no `to` where the member or element is removed. */
interface Change {
  path: (string | number)[]
  to?: { value: unknown }
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/** Changes of everything in a value, the value itself included. */
function* changesOf(value: unknown, path: Change['path'] = []): Generator<Change> {
  if (path.length > 0) yield { path }
  for (const to of WRONG_TYPES) if (JSON.stringify(to) !== JSON.stringify(value)) yield { path, to: { value: to } }
  if (!isObject(value)) return
  const keys = Array.isArray(value) ? value.map((_, at) => at) : Object.keys(value)
  for (const key of keys) yield* changesOf((value as Record<string, unknown>)[key], [...path, key])
}

function change(value: unknown, { path, to }: Change): unknown {
  if (path.length === 0) return to!.value
  const copy = structuredClone(value)
  const parent = path.slice(0, -1).reduce((at, key) => (at as Record<string, unknown>)[key], copy)
  const last = path.at(-1)!
  if (to) (parent as Record<string, unknown>)[last] = to.value
  else if (Array.isArray(parent)) parent.splice(last as number, 1)
  else delete (parent as Record<string, unknown>)[last]
  return copy
}

/** Runs transactions on a chain. @returns the answers of a node for them, with their lists */
async function answersFor(t: { teardown: (end: () => Promise<void>) => void }, calls: PuppetCall[][]) {
  const chain = new SimulatedChain({ programs: [PROGRAM, STRANGER, OTHER] })
  const node = await openSimulatedNode(chain)
  t.teardown(() => node.close())
  const made = calls.map(each => {
    chain.advance()
    return chain.execute(each, { version: each.length > 1 ? 0 : 'legacy' })
  })
  chain.finalize()
  const ask = async (method: string, ...params: unknown[]) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    return (await (await fetch(node.url, { method: 'POST', body })).json()) as { result: unknown }
  }
  const list = await ask('getSignaturesForAddress', PROGRAM, {})
  const options = { maxSupportedTransactionVersion: 1 }
  const answers = await Promise.all(made.map(({ signature }) => ask('getTransaction', signature, options)))
  return { list, answers: answers.map((answer, at) => ({ answer, signature: made[at]!.signature })) }
}

const STRANGER = 'Stranger11111111111111111111111111111111111'
const CALLS = [
  [pay('a', 1)],
  [stranger({ call: pay('b', 1) })],
  [stranger({ text: 'before' }), stranger({ call: pay('c', 1) }, { call: pay('c', 2) }), pay('c', 3)],
]

/** What one node's answer becomes: its events, and whether anything says that some are missing. */
function read(answer: unknown, signature: string, slot: number): { events: string; isWhole: boolean } {
  try {
    const read = readAnswer(answer, 'node', 'getTransaction')
    if ('error' in read || read.result === null) return { events: '', isWhole: false }
    const listed = { signature, slot, failed: false, transactionIndex: null }
    const { events, gaps } = readTransaction('node', listed, read.result as never, PROGRAM)
    return { events: JSON.stringify(events), isWhole: gaps.length === 0 }
  } catch (error) {
    if (!(error instanceof NodeError)) throw error
    return { events: '', isWhole: false }
  }
}

t.test('no change of a transaction loses an event in silence', async t => {
  const { answers } = await answersFor(t, CALLS)
  let refused = 0
  let same = 0
  for (const { answer, signature } of answers) {
    const { slot } = answer.result as { slot: number }
    const honest = read(answer, signature, slot)
    t.ok(honest.isWhole && honest.events.length > 2, 'the unchanged answer is read')
    for (const each of changesOf(answer)) {
      const { events, isWhole } = read(change(answer, each), signature, slot)
      if (!isWhole) refused++
      else if (events === honest.events) same++
      else t.fail(`${each.path.join('.')} became ${JSON.stringify(each.to)}: ${events}`)
    }
  }
  t.ok(refused > 1_000 && same > 300, `${refused} refused, ${same} read as before`)
})

t.test('no change of a list loses an entry in silence', async t => {
  const { list } = await answersFor(t, CALLS)
  const entries = list.result as { signature: string; slot: number }[]
  const members = ['signature', 'slot', 'err', 'transactionIndex']
  for (const each of changesOf(list)) {
    // A list without an entry is compared with another node's, and with the program's numbers.
    if (each.path.length === 2 && !each.to) continue
    if (each.path.length === 1 && Array.isArray(each.to?.value) && each.to.value.length === 0) continue
    let answer
    try {
      answer = readAnswer(change(list, each), 'node', 'getSignaturesForAddress')
    } catch (error) {
      if (!(error instanceof NodeError)) throw error
      continue
    }
    const read = ('result' in answer ? answer.result : []) as typeof entries
    t.same(
      read.map(({ signature, slot }) => [signature, slot]),
      entries.map(({ signature, slot }) => [signature, slot]),
      each.path.join('.'),
    )
    if (members.includes(String(each.path.at(-1))))
      t.ok(
        read.every(entry => !('err' in entry) || entry.err === null),
        'none became a failed transaction',
      )
  }
})
