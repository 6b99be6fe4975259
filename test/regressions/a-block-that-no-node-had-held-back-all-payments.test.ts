// Questions that nodes answer, and never with something usable: nothing waits for them without limit.
import { waitFor } from '@payment-tracking/testkit'
import t from 'tap'
import { openRig } from '../../services/indexer/test/open-rig.js'
import { openFixtureNode, repeatSlot, type Transaction } from './open-fixture-node.js'

t.setTimeout(110_000)

/** What the node answers for the first of a slot's two transactions, and the reason of the gap that it becomes. */
const CASES: [answer: string, of: (found: Transaction) => object, reason: string | null][] = [
  ['is right', found => ({ result: found }), null],
  ['stays null', () => ({ result: null }), 'NO_TRANSACTION'],
  ['has no time', found => ({ result: { ...found, blockTime: null } }), 'NO_TIME'],
  ['leaves its time out', ({ blockTime: _, ...rest }) => ({ result: rest }), 'NO_TIME'],
  ['is told in another slot', found => ({ result: { ...found, slot: 99 } }), 'UNREADABLE_ANSWER'],
  [
    'is an error, which is no error of the whole node',
    () => ({ error: { code: -32015, message: 'Transaction version (2) is not supported' } }),
    'UNREADABLE_ANSWER',
  ],
]
const slotOf = (at: number) => 100 + at
const chain = repeatSlot('block-left-out', CASES.length)
const transactions = chain.flatMap(({ getTransaction }) => getTransaction)
const firsts = chain.map(({ getSignaturesForAddress: [first] }) => first!.signature)

t.test(
  'blocks that no node has: the order is that of the signatures, and what is not there is a gap',
  async t => {
    const { url } = await openFixtureNode(
      t,
      { getSignaturesForAddress: chain.toReversed().flatMap(each => each.getSignaturesForAddress) },
      {
        getTransaction: ([signature]) => {
          const found = transactions.find(({ transaction }) => transaction.signatures[0] === signature)!
          const at = firsts.indexOf(signature as string)
          return at < 0 ? { result: found } : CASES[at]![1](found)
        },
      },
    )
    const rig = await openRig(t, { nodes: 0, env: { SOLANA_RPC_URLS: url, 'indexer.patienceMs': '1500' } })
    const service = await rig.start()
    await waitFor(async () => (await rig.through()) >= 200, { what: 'all slots', timeoutMs: 90_000 })
    const [events, gaps] = [await rig.events(), await rig.controls('gap')]
    for (const [at, [answer, , reason]] of CASES.entries()) {
      const signatures = events.flatMap(({ body }) => (body.slot === slotOf(at) ? [body.signature] : []))
      t.same(signatures, signatures.toSorted(), answer)
      t.equal(signatures.length, reason === null ? 2 : 1, `${answer}: the other is published`)
      const ofFirst = gaps.flatMap(({ body }) => (body.signature === firsts[at] ? [body.reason] : []))
      t.same(ofFirst, reason === null ? [] : [reason], answer)
    }
    t.equal(gaps.length, CASES.length - 1)
    t.notOk(events.some(({ body }) => 'transaction_index' in body))
    t.match(await service.waitForLog('indexer.order-unknown'), { slot: 100 })
    const metrics = await (await fetch(`${service.managementUrl}/metrics`)).text()
    t.match(metrics, `indexer_unordered_slots_total ${CASES.length}`)
  },
)
