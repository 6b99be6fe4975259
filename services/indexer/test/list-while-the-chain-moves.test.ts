// Symptom: an indexer that took over with more than a page to read lost a transaction where the page ends, until the next
// rescan after ten minutes. It lists the pages first and reads each again later, when the newest has moved.
import { createLogger } from '@payment-tracking/runtime'
import { openSimulatedNode, SimulatedChain } from '@payment-tracking/simulator'
import t from 'tap'
import { NodePool } from '../src/nodes/node-pool.js'
import { ChainNode } from '../src/nodes/open-node.js'
import { listAgain, listRange } from '../src/scan/list-range.js'
import { pay, PROGRAM } from './open-rig.js'

const PAGE = 1_000

const chain = new SimulatedChain({ programs: [PROGRAM] })
const node = await openSimulatedNode(chain)
t.teardown(() => node.close())
const log = createLogger('test', { LOG_LEVEL: 'silent', ENVIRONMENT: 'production' })
const reader = new ChainNode({ url: node.url, name: 'node', onRequest: () => {} })
t.teardown(() => reader.close())
const pool = new NodePool([reader], log, new AbortController().signal)
const paid: string[] = []
function payTimes(times: number): void {
  for (let at = 0; at < times; at++) {
    chain.advance()
    paid.push(chain.execute([pay('a', paid.length + 1)]).signature)
  }
  chain.finalize()
}
payTimes(2 * PAGE + 300)

for (const more of [1, 30, PAGE + 30])
  t.test(`${more} more transactions meanwhile lose none of the range`, async t => {
    const wanted = [...paid]
    const options = {
      programId: PROGRAM,
      toSlot: chain.finalized,
      fromSlot: 0,
      firstSlot: null,
      knownSlot: null,
      onDisagreement: () => {},
    }
    const { pages, oldest } = await listRange(pool, options)
    t.ok(pages.length > 2, 'several pages')
    payTimes(more)
    const listed = new Set(oldest.transactions.map(({ signature }) => signature))
    for (const page of pages.slice(1))
      for (const { signature } of await listAgain(pool, options, page)) listed.add(signature)
    const lacking = wanted.filter(signature => !listed.has(signature))
    t.same(lacking, [], 'none is missing')
    t.equal(listed.size, wanted.length, 'and none is newer than the range')
  })
