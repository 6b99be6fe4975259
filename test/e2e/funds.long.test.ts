// A cause is notified within a cycle, and cleared after its cure.
import { buildAddress } from '@payment-tracking/testkit'
import t from 'tap'
import { openFundsRig, type Payer } from './funds-rig.js'

const { chain, nodes, CASES, ALL, openByHand, received, riskOf, until, haveState } = await openFundsRig(t)

const linesOf = (type: string, cause: string, { policies }: Payer) =>
  policies.map(policy => `${type} ${cause.split(' ')[0]} ${policy}`)

t.test('accounts with enough are no risk', async t => {
  await haveState('ok')
  t.same(received(), [])
})

t.test('who is paid by an account made by hand is no risk, unless that is frozen', async t => {
  const usable = openByHand('made by hand', [{ frozen: true }, { frozen: false }])
  const frozen = openByHand('made by hand and frozen', [{ frozen: true }])
  await haveState('at_risk', [frozen])
  await haveState('ok', [usable])
  await until('the message', () => received().length > 0)
  t.same(received(), linesOf('at_risk', 'recipient_account_frozen', frozen))
  chain.tokens.set(frozen.recipientAccount, {
    mint: frozen.mint,
    program: frozen.program,
    owner: buildAddress(`recipient ${frozen.name}`),
    balance: 0n,
  })
  await until('its end', () => received().length > 1)
  t.same(received().slice(1), linesOf('at_risk_cleared', 'recipient_account_frozen', frozen))
  const asked = nodes.map(node => node.calls.get('getTokenAccountsByOwner'))
  t.same(asked, [2, 2], 'once for each of the two wallets, in whatever number of cycles')
  ALL.push(usable, frozen)
})

t.test('a cause is notified within a cycle, and cleared after its cure', async t => {
  for (const [cause, { payer, make, cure }] of Object.entries(CASES)) {
    const before = received().length
    const madeAt = performance.now()
    make(payer)
    await until(cause, () => received().length >= before + payer.policies.length)
    const tookMs = Math.round(performance.now() - madeAt)
    t.same(received().slice(before).sort(), linesOf('at_risk', cause, payer).sort(), cause)
    t.match(await riskOf(payer.policies[0]!), { state: 'at_risk', cause: cause.split(' ')[0] })
    const curedAt = performance.now()
    cure(payer)
    await until(`the end of ${cause}`, () => received().length >= before + 2 * payer.policies.length)
    t.same(
      received()
        .slice(before + payer.policies.length)
        .sort(),
      linesOf('at_risk_cleared', cause, payer).sort(),
    )
    t.comment(
      `${cause}: notified after ${tookMs} ms, cleared after ${Math.round(performance.now() - curedAt)} ms`,
    )
  }
  await haveState('ok')
})

t.test('nodes that tell nothing of other accounts are no alarm', async t => {
  const before = received().length
  for (const node of nodes)
    node.faults.alter = (method, answer) =>
      method === 'getTokenAccountsByOwner'
        ? { jsonrpc: answer.jsonrpc, id: answer.id, error: { code: -32601, message: 'Method not found' } }
        : answer
  const asked = () => nodes.map(node => node.calls.get('getTokenAccountsByOwner') ?? 0)
  const since = asked()
  const refused = openByHand('nodes refuse', [{ frozen: false }])
  await until('both nodes to be asked', () => asked().every((count, at) => count > since[at]!))
  await haveState('unknown', [refused])
  t.match(await riskOf(refused.policies[0]!), { balance: 100, dueTogether: 6 }, 'the payer is seen')
  t.same(received().slice(before), [], 'nothing was sent')
})
