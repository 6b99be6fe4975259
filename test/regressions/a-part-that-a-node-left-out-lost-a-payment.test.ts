// A node's answer lacked a member that holds calls or keys, and the payment behind it was read as nothing there.
import { waitFor } from '@payment-tracking/testkit'
import t from 'tap'
import { openRig } from '../../services/indexer/test/open-rig.js'
import { openFixtureNode, readFixture } from './open-fixture-node.js'

t.setTimeout(110_000)

/** The same answer with what the node left out. */
const whole = (fixture: Record<string, unknown>, program: string) => {
  const copy = structuredClone(fixture) as {
    getTransaction: {
      meta: Record<string, unknown>
      transaction: { message: { accountKeys: string[] } }
    }
  }
  const { meta } = copy.getTransaction
  if (meta.innerInstructions === undefined) {
    const programIdIndex = copy.getTransaction.transaction.message.accountKeys.indexOf(program)
    const call = { programIdIndex, accounts: [], data: 'UJJfJRLDFLd', stackHeight: 2 }
    meta.innerInstructions = [{ index: 0, instructions: [call] }]
  } else {
    // The lookup table's keys 2 and 3.
    meta.loadedAddresses = { writable: ['SysvarC1ock11111111111111111111111111111111'], readonly: [program] }
  }
  return copy
}

for (const [name, reason] of [
  ['inner-instructions-left-out', 'NO_INNER_INSTRUCTIONS'],
  ['loaded-addresses-left-out', 'UNKNOWN_KEY'],
] as const) {
  const fixture = readFixture(name)

  t.test(`${name}: a gap where no node is better`, async t => {
    const { url } = await openFixtureNode(t, fixture)
    const rig = await openRig(t, { nodes: 0, env: { SOLANA_RPC_URLS: url } })
    await rig.start()
    await waitFor(async () => (await rig.through()) >= 200, {
      what: 'the slot to be passed',
      timeoutMs: 40_000,
    })
    const [gap] = await rig.controls('gap')
    t.match(gap?.body, { fromSlot: 100, toSlot: 100, reason }, 'the gap names what was left out')
    t.same(await rig.events(), [])
  })

  t.test(`${name}: the event of another node`, async t => {
    const program = 'TRibg8W8zmPHQqWtyAD1rEBRXEdyU13Mu6qX1Sg42tJ'
    const [odd, right] = [
      await openFixtureNode(t, fixture),
      await openFixtureNode(t, whole(fixture, program)),
    ]
    const rig = await openRig(t, { nodes: 0, env: { SOLANA_RPC_URLS: `${odd.url},${right.url}` } })
    await rig.start()
    await waitFor(async () => (await rig.through()) >= 200, {
      what: 'the slot to be passed',
      timeoutMs: 40_000,
    })
    t.match(await rig.events(), [{ body: { event_name: 'PaymentRecord' } }])
    t.same(await rig.controls('gap'), [])
  })
}
