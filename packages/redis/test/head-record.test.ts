import { useRedis } from '@payment-tracking/testkit'
import t from 'tap'
import { buildHeadRecords, openRedis } from '../src/index.js'

t.test('the record of the head is read as it was written, the newest epoch first', async t => {
  const redis = await useRedis(t)
  const connections = openRedis({ REDIS_URL: redis.url, ENVIRONMENT: redis.prefix })
  t.teardown(() => connections.close())

  const records = buildHeadRecords(connections)
  t.equal(await records.read('server:1'), null, 'no record yet, and the connection is still opening')
  await records.write('server:1', { epochNumber: 0, epoch: 'one', position: 12n })
  await records.write('server:1', { epochNumber: 0, epoch: 'one', position: 9n })
  t.strictSame(await records.read('server:1'), { epochNumber: 0, epoch: 'one', position: 12n })
  await records.write('server:1', { epochNumber: 1, epoch: 'two', position: 3n })
  t.strictSame(await records.read('server:1'), { epochNumber: 1, epoch: 'two', position: 3n })
  t.equal(await records.read('server:2'), null)
})
