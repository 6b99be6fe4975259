// One of two nodes answered in an unexpected shape. The indexer was interrupted each second, and published nothing.
import { waitFor } from '@payment-tracking/testkit'
import t from 'tap'
import { openRig } from '../../services/indexer/test/open-rig.js'
import { openFixtureNode, readFixture, type Answers } from './open-fixture-node.js'

t.setTimeout(110_000)

const block = readFixture('block-left-out')
const right = {
  ...block,
  getSignaturesForAddress: (block.getSignaturesForAddress as unknown[]).slice(0, 1),
}
const odd = readFixture('odd-answers') as { answers: string[]; alsoForGetTransaction: string[] }

async function publishesBeside(t: Parameters<typeof openRig>[0], changes: Answers, fault = 'wrong') {
  const nodes = [await openFixtureNode(t, right, changes), await openFixtureNode(t, right)]
  const rig = await openRig(t, { nodes: 0, env: { SOLANA_RPC_URLS: nodes.map(({ url }) => url).join(',') } })
  const service = await rig.start()
  await waitFor(async () => (await rig.through()) >= 200, {
    what: 'the slot to be passed',
    timeoutMs: 40_000,
  })
  const line = await service.waitForLog('indexer.node-unfit')
  return {
    fault: line.fault === fault,
    events: (await rig.events()).length,
    gaps: (await rig.controls('gap')).length,
    interrupted: service.output.includes('indexer.interrupted'),
  }
}
const GOOD = { fault: true, events: 1, gaps: 0, interrupted: false }

t.test('a list in another shape', async t => {
  for (const answer of odd.answers)
    t.same(await publishesBeside(t, { getSignaturesForAddress: () => answer }), GOOD, answer)
})

t.test('a transaction in another shape', async t => {
  for (const answer of odd.alsoForGetTransaction)
    t.same(await publishesBeside(t, { getTransaction: () => answer }), GOOD, answer)
})

t.test('an error code that belongs to another method', async t => {
  for (const code of [-32007, -32009, -32001]) {
    const error = { code, message: 'Slot was skipped' }
    t.same(await publishesBeside(t, { getTransaction: () => ({ error }) }), GOOD, `${code} to getTransaction`)
    t.same(
      await publishesBeside(t, { getSignaturesForAddress: () => ({ error }) }),
      GOOD,
      `${code} to a list`,
    )
  }
})
