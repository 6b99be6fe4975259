// One of several nodes answered in an unexpected shape. The indexer was interrupted each second, and published nothing.
import { waitFor } from '@payment-tracking/testkit'
import t from 'tap'
import { openRig } from '../../services/indexer/test/open-rig.js'
import { openFixtureNode, readFixture, repeatSlot, type Answers } from './open-fixture-node.js'

t.setTimeout(110_000)

/** As many slots as the nodes need, for each to be asked in its turn. */
const SLOTS = 15
const slots = repeatSlot('block-left-out', SLOTS)
const right = {
  getSignaturesForAddress: slots.toReversed().flatMap(each => each.getSignaturesForAddress.slice(0, 1)),
  getTransaction: slots.flatMap(each => each.getTransaction),
}
const odd = readFixture('odd-answers') as { answers: string[]; alsoForGetTransaction: string[] }
/** They belong to another method. */
const errors = [-32007, -32009, -32001].map(code => ({ error: { code, message: 'Slot was skipped' } }))

for (const [what, method, answers] of [
  ['a list', 'getSignaturesForAddress', [...odd.answers, ...errors]],
  ['a transaction', 'getTransaction', [...odd.alsoForGetTransaction, ...errors]],
] as [string, string, ReturnType<Answers[string]>[]][])
  t.test(
    `${what} in another shape, or an error of another method, by ${answers.length} nodes beside a right one`,
    async t => {
      const nodes = [
        ...(await Promise.all(answers.map(answer => openFixtureNode(t, right, { [method]: () => answer })))),
        await openFixtureNode(t, right),
      ]
      const rig = await openRig(t, {
        nodes: 0,
        env: { SOLANA_RPC_URLS: nodes.map(({ url }) => url).join(',') },
      })
      const service = await rig.start()
      await waitFor(async () => (await rig.through()) >= 200, { what: 'all slots', timeoutMs: 90_000 })
      for (const [at, answer] of answers.entries())
        await service
          .waitForLog(
            'indexer.node-unfit',
            line => line.fault === 'wrong' && JSON.stringify(line).includes(new URL(nodes[at]!.url).host),
          )
          .then(() => t.pass(JSON.stringify(answer)))
      t.equal((await rig.events()).length, SLOTS)
      t.same(await rig.controls('gap'), [])
      t.notMatch(service.output, 'indexer.interrupted')
    },
  )
