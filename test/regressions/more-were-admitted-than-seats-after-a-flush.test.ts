// After a flush of Redis a pod is asked to write its seats again. When that answer was lost on the way, the next
// renewal found the pod known and took it for one that had written them: its places were given to others.
import { useRedis, waitFor } from '@payment-tracking/testkit'
import t from 'tap'
import { seatOf, useSeatPods } from '../../packages/redis/test/use-seat-pods.js'

t.test('seats are restored after a flush also when the answer that asks for it is lost', async t => {
  const redis = await useRedis(t)
  const open = useSeatPods(t, redis.url)
  const pod = await open()
  for (let n = 0; n < 3; n++) seatOf(await pod.ask({ limit: 3 }))
  const lost = pod.loseAnswer('restore')
  await redis.client.flushdb()
  await lost
  const newcomer = await open()
  const settled = await waitFor(async () => {
    const answer = await newcomer.ask({ limit: 3 })
    return ('seat' in answer || answer.refused === 'full') && answer
  })
  t.match(settled, { refused: 'full' }, 'the three that were there still are')
  t.same(pod.lost, [], 'and never were in doubt')
})
