// A node that is away rests, and comes back soon.
import { createLogger } from '@payment-tracking/runtime'
import { openSimulatedNode, SimulatedChain } from '@payment-tracking/simulator'
import t from 'tap'
import { NodePool } from '../src/nodes/node-pool.js'
import { ChainNode } from '../src/nodes/open-node.js'
import { PROGRAM } from './open-rig.js'

const node = await openSimulatedNode(new SimulatedChain({ programs: [PROGRAM] }))
t.teardown(() => node.close())
const reader = new ChainNode({ url: node.url, name: 'node', onRequest: () => {} })
t.teardown(() => reader.close())

t.test('calls that fail together are one failure of the node', async t => {
  const log = createLogger('test', { LOG_LEVEL: 'silent', ENVIRONMENT: 'production' })
  const pool = new NodePool([reader], log, new AbortController().signal)
  const askSlot = (patienceMs: number) => pool.ask(each => each.slot('finalized'), { patienceMs })
  node.faults.down = true
  const failed = await Promise.allSettled(Array.from({ length: 10 }, () => askSlot(0)))
  t.ok(
    failed.every(({ status }) => status === 'rejected'),
    'all failed',
  )
  node.faults.down = false
  // A node that had failed ten times would rest for 7.5 s at least; a call that would wait longer than it may fails at once.
  t.type(await askSlot(5_000), 'number', 'the node is asked again after its first rest')
})
