// Nodes that disagree, are behind, limit the rate or are away: never an alarm.
import t from 'tap'
import { openFundsRig } from './funds-rig.js'

const { chain, nodes, database, ALL, openByHand, change, received, riskOf, until, haveState } =
  await openFundsRig(t)

/** What was seen gets older than it may be, and nobody renews it. */
const forget = () =>
  database.pool.query(`update token_accounts set checked_at = checked_at - interval '16 minutes'`)

t.test('nodes that disagree, are behind, limit the rate or are away are no alarm', async t => {
  const [first, second] = nodes as [(typeof nodes)[0], (typeof nodes)[0]]
  await haveState('ok')
  const before = received().length
  const payer = ALL[0]!
  const calls = () => nodes.map(node => node.calls.get('getMultipleAccounts') ?? 0)
  /** Both nodes are asked again, twice. */
  const askedAgain = async () => {
    const since = calls()
    await until('two more rounds', () => calls().every((count, at) => count >= since[at]! + 6))
  }
  second.faults.alter = (method, answer) => {
    if (method !== 'getMultipleAccounts') return answer
    const { context, value } = answer.result as { context: object; value: unknown[] }
    return { ...answer, result: { context, value: value.map(() => null) } }
  }
  await askedAgain()
  await forget()
  await haveState('unknown')
  await askedAgain()
  await haveState('unknown')
  second.faults.alter = null
  await haveState('ok')

  for (const node of nodes) node.faults.lagSlots = 5_000
  change({ balance: 0n })(payer)
  await forget()
  await askedAgain()
  await haveState('unknown')
  change({ balance: 100n })(payer)
  second.faults.lagSlots = 0
  await haveState('ok')
  first.faults.lagSlots = 0

  for (const node of nodes) node.faults.rateLimited = Infinity
  await forget()
  await haveState('unknown')
  for (const node of nodes) node.faults.rateLimited = 0
  await haveState('ok')

  for (const node of nodes) node.faults.down = true
  await forget()
  await haveState('unknown')
  for (const node of nodes) node.faults.down = false
  await haveState('ok')
  t.same(received().slice(before), [], 'nothing was sent')
})

t.test('nodes that tell nothing of other accounts, or disagree on them, are no alarm', async t => {
  const [first, second] = nodes as [(typeof nodes)[0], (typeof nodes)[0]]
  const before = received().length
  const answer = (node: typeof first, body: object) => {
    node.faults.alter = (method, { jsonrpc, id, ...own }) =>
      method === 'getTokenAccountsByOwner' ? { jsonrpc, id, ...body } : { jsonrpc, id, ...own }
  }
  const asked = () => nodes.map(node => node.calls.get('getTokenAccountsByOwner') ?? 0)
  for (const node of nodes) answer(node, { error: { code: -32601, message: 'Method not found' } })
  const refused = openByHand('nodes refuse', [{ frozen: false }])
  await until('both nodes to be asked', () => asked().every(count => count > 0))
  await haveState('unknown', [refused])
  t.match(await riskOf(refused.policies[0]!), { balance: 100, dueTogether: 6 }, 'the payer is seen')

  first.faults.alter = null
  answer(second, { result: { context: { slot: chain.finalized }, value: [] } })
  const disputed = openByHand('nodes disagree', [{ frozen: false }])
  const since = asked()
  await until('both nodes to be asked again', () => asked().every((count, at) => count > since[at]!))
  await haveState('unknown', [disputed])
  await haveState('ok')
  t.same(received().slice(before), [], 'nothing was sent')
})
