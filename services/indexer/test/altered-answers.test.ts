// Every change of every member of a correct answer: the answer gives the same events, or it is refused or a gap. It never
// gives fewer events without a word.
import { readFileSync } from 'node:fs'
import { openSimulatedNode, SimulatedChain, type PuppetCall } from '@payment-tracking/simulator'
import t from 'tap'
import { readAnswer } from '../src/nodes/answers.js'
import { NodeError } from '../src/nodes/node-error.js'
import { readTransaction } from '../src/nodes/read-transaction.js'
import { change, changesOf } from './changes.js'
import { OTHER, pay, PROGRAM, STRANGER, stranger } from './open-rig.js'

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

for (const name of ['inner-instructions-left-out', 'loaded-addresses-left-out'])
  t.test(`${name}: the payment behind it was read as nothing there`, async t => {
    const file = new URL(`../../../test/fixtures/chain/${name}.json`, import.meta.url)
    const { getTransaction: result } = JSON.parse(readFileSync(file, 'utf8')) as {
      getTransaction: { slot: number; transaction: { signatures: string[] } }
    }
    const unaltered = read({ jsonrpc: '2.0', id: 1, result }, result.transaction.signatures[0]!, result.slot)
    t.same(unaltered, { events: '', isWhole: false })
  })

t.test('no change of a list loses an entry in silence', async t => {
  const { list } = await answersFor(t, CALLS)
  const entries = list.result as { signature: string; slot: number; err?: unknown }[]
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
    const readEntries = read.map(({ signature, slot }) => [signature, slot])
    t.same(
      readEntries,
      entries.map(({ signature, slot }) => [signature, slot]),
      each.path.join('.'),
    )
    for (const { err } of read) t.notOk((err ?? null) !== null, 'none became a failed transaction')
  }
})
