// Questions that nodes answer, and never with something usable: nothing waits for them without limit.
import { waitFor } from '@payment-tracking/testkit'
import t from 'tap'
import { openRig } from '../../services/indexer/test/open-rig.js'
import { openFixtureNode, readFixture, type Answers } from './open-fixture-node.js'

t.setTimeout(110_000)

const fixture = readFixture('block-left-out')
const [first] = fixture.getSignaturesForAddress as { signature: string }[]

async function follow(t: Parameters<typeof openRig>[0], changes: Answers, patienceMs = '1500') {
  const { url } = await openFixtureNode(t, fixture, changes)
  const rig = await openRig(t, { nodes: 0, env: { SOLANA_RPC_URLS: url, 'indexer.patienceMs': patienceMs } })
  const service = await rig.start()
  await waitFor(async () => (await rig.through()) >= 200, {
    what: 'the slot to be passed',
    timeoutMs: 60_000,
  })
  return { rig, service }
}

/** The transactions of the fixture, one of them changed. */
const withFirst = (change: (transaction: Record<string, unknown>) => object | null): Answers => ({
  getTransaction: ([signature]) => {
    const all = fixture.getTransaction as { transaction: { signatures: string[] } }[]
    const found = all.find(({ transaction }) => transaction.signatures[0] === signature)!
    return { result: signature === first!.signature ? change(found) : found }
  },
})

t.test('a block that no node has: the order is that of the signatures', async t => {
  const { rig, service } = await follow(t, {})
  const events = await rig.events()
  const signatures = events.map(({ body }) => body.signature)
  t.same(signatures, signatures.toSorted(), 'both are published')
  t.equal(signatures.length, 2)
  t.notOk(events.some(({ body }) => 'transaction_index' in body))
  t.match(await service.waitForLog('indexer.order-unknown'), { slot: 100 })
  t.same(await rig.controls('gap'), [])
})

for (const [what, change, reason] of [
  ['stays null', () => null, 'NO_TRANSACTION'],
  ['has no time', (found: object) => ({ ...found, blockTime: null }), 'NO_TIME'],
  ['leaves its time out', ({ blockTime: _, ...rest }: Record<string, unknown>) => rest, 'NO_TIME'],
  ['is told in another slot', (found: object) => ({ ...found, slot: 99 }), 'UNREADABLE_ANSWER'],
] as const) {
  t.test(`a transaction that ${what} becomes a gap, and the other is published`, async t => {
    const { rig } = await follow(t, withFirst(change))
    t.equal((await rig.events()).length, 1)
    t.match(await rig.controls('gap'), [{ body: { signature: first!.signature, reason } }])
  })
}

t.test('an error for one transaction is no error of the whole node', async t => {
  let left = Infinity
  const { rig, service } = await follow(t, {
    ...withFirst(found => found),
    getTransaction: parameters =>
      parameters[0] === first!.signature && left-- > 0
        ? { error: { code: -32015, message: 'Transaction version (2) is not supported' } }
        : withFirst(found => found).getTransaction!(parameters),
  })
  t.equal((await rig.events()).length, 1)
  t.match(await rig.controls('gap'), [{ body: { signature: first!.signature, reason: 'UNREADABLE_ANSWER' } }])
  const metrics = await (await fetch(`${service.managementUrl}/metrics`)).text()
  t.match(metrics, /indexer_unordered_slots_total 1/)
})
