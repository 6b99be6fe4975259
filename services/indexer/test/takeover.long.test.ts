// Two indexers, one chain: one works, the other waits for the lease. That a kill loses and doubles nothing, kill.long.test.ts holds.
import { isQuick, waitFor } from '@payment-tracking/testkit'
import t from 'tap'
import { numbers, openRig, payMany, recordIds } from './open-rig.js'

t.test('a leader that was paused finds another in its place, and publishes nothing twice', async t => {
  const rig = await openRig(t)
  const first = await rig.start()
  await first.waitForLog('indexer.leading')
  const second = await rig.start()
  payMany(rig, 'a', 1, 3)
  await rig.settle()
  const pausedAt = Date.now()
  first.signal('SIGSTOP')
  payMany(rig, 'a', 4, 3)
  await second.waitForLog('indexer.leading')
  isQuick(t, Date.now() - pausedAt, 15_000, 'the takeover')
  first.signal('SIGCONT')
  const notices = new Set(['indexer.lease-lost', 'indexer.interrupted'])
  await waitFor(() => first.logs.some(({ msg }) => notices.has(msg)), { what: 'the end of the old lease' })
  payMany(rig, 'a', 7, 2)
  await rig.settle()
  t.same(await recordIds(rig), numbers(1, 8))
  t.equal(first.logs.filter(({ msg }) => msg === 'indexer.leading').length, 1)
})

t.test('a successor reads the overlap again, and nothing older', async t => {
  const rig = await openRig(t)
  const [node] = rig.nodes
  payMany(rig, 'a', 1, 5)
  rig.chain.advance(200)
  payMany(rig, 'a', 6, 2)
  const first = await rig.start()
  await rig.settle()
  await first.stop()
  node!.calls.clear()
  rig.chain.advance()
  const second = await rig.start()
  await second.waitForLog('indexer.caught-up')
  t.equal(node!.calls.get('getTransaction'), 2)
  t.same(await recordIds(rig), numbers(1, 7))
})
