// A node that is away backs off, and comes back soon.
import { createLogger } from '@payment-tracking/runtime'
import { openSimulatedNode, SimulatedChain } from '@payment-tracking/simulator'
import t from 'tap'
import { NodeError } from '../src/nodes/node-error.js'
import { NodePool } from '../src/nodes/node-pool.js'
import { ChainNode } from '../src/nodes/open-node.js'
import { PROGRAM } from './open-rig.js'

const node = await openSimulatedNode(new SimulatedChain({ programs: [PROGRAM] }))
t.teardown(() => node.close())
const reader = new ChainNode({ url: node.url, name: 'node', onRequest: () => {} })
t.teardown(() => reader.close())

const log = createLogger('test', { LOG_LEVEL: 'silent', ENVIRONMENT: 'production' })
const openPool = () => new NodePool([reader], log, new AbortController().signal)

t.test('calls that fail together are one failure of the node', async t => {
  const pool = openPool()
  const askSlot = (patienceMs: number) => pool.ask(each => each.slot('finalized'), { patienceMs })
  node.faults.down = true
  const failed = await Promise.allSettled(Array.from({ length: 10 }, () => askSlot(0)))
  for (const { status } of failed) t.equal(status, 'rejected', 'all failed')
  node.faults.down = false
  // A node that had failed ten times would back off for 7.5 s at least; a call that would wait longer than it may fails at once.
  t.type(await askSlot(5_000), 'number', 'the node is asked again after its first backoff')
})

t.test('a wait that a node asked for is not cut short by a call that fails beside it', async t => {
  const pool = openPool()
  const fail = (error: NodeError) => pool.ask(() => Promise.reject(error), { patienceMs: 0 })
  await Promise.allSettled([
    fail(new NodeError('rate-limited', 'it answered 429', 60_000)),
    fail(new NodeError('down', 'it does not answer')),
  ])
  await t.rejects(
    pool.ask(each => each.slot('finalized'), { patienceMs: 5_000 }),
    'a minute has not passed',
  )
})
