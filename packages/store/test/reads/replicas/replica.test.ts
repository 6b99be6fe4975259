// A replica learns what its database knows from each new connection, before anything is read there.
import { createDatabase, withClient } from '@payment-tracking/testkit'
import t from 'tap'
import { sql } from '../../../src/core/database/sql.js'
import { Replica } from '../../../src/reads/replicas/replica.js'

t.test('a read of a replica that was never looked at finds its head known', async t => {
  const { url } = await createDatabase(t)
  await withClient(url, client => client.query('update stream_head set position = 5'))
  const replica = new Replica('replica 1', { DATABASE_URL: url, poolSize: 1 })
  t.teardown(() => replica.store.close())
  t.equal(replica.heads.newest, undefined)
  await replica.run('read', sql`select 1`)
  t.equal(replica.heads.newest?.position, 5n)
})
