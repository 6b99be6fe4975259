// What is read for a subscriber is of one epoch, also when the database begins another one during the read.
import { openStore, readRetractionsOf, verifyDatabase, type Store } from '@payment-tracking/store'
import { createDatabase } from '@payment-tracking/testkit'
import t from 'tap'
import { History } from '../src/history/history.js'
import { writePayments } from './write-payments.js'

const trackingId = 'order'

t.test('a new epoch', async t => {
  const database = await createDatabase(t)
  const { pool } = database
  const store = openStore({ DATABASE_URL: database.url, poolSize: 2 })
  t.teardown(() => store.close())
  const beginEpoch = () => pool.query('update stream_head set epoch = gen_random_uuid()')
  await writePayments(pool, { trackingId, count: 3 })

  t.test('payments of the new epoch are not told under the numbers of the old one', async t => {
    const { epoch } = await new History(store).read({ trackingId })
    const during = history(store, beginEpoch)
    await t.rejects(during.read({ trackingId, since: 1, epoch }), { code: 'STORE_UNAVAILABLE' })
    t.match(await during.read({ trackingId, since: 1 }), {
      recovered: true,
      payments: [{ seq: 2 }, { seq: 3 }],
    })
  })

  t.test('nor are its retractions', async t => {
    const { epoch } = await new History(store).read({ trackingId })
    await pool.query('update events set retracted_at = clock_timestamp() where seq = 1')
    t.equal((await readRetractionsOf(store, [trackingId], epoch)).length, 1)
    await beginEpoch()
    await t.rejects(new History(store).readRetractions({ trackingId, since: 2 }, epoch), {
      code: 'STORE_UNAVAILABLE',
    })
  })
})

t.test('after two losses of commits a number without an epoch is not taken for a later one', async t => {
  const database = await createDatabase(t)
  const { pool } = database
  const store = openStore({ DATABASE_URL: database.url, poolSize: 2 })
  t.teardown(() => store.close())
  const verify = () => verifyDatabase(store, { readRecord: () => Promise.resolve(null), reingestMargin: 10 })
  const promote = async () => {
    await pool.query(`update stream_head set verified_timeline = 'another timeline'`)
    await verify()
  }
  await writePayments(pool, { trackingId, count: 3 })
  await verify()
  await pool.query(`delete from events where seq = 3; update trackings set head = 2;
                    update stream_head set position = 2`)
  await promote()
  await writePayments(pool, { trackingId, count: 2 })
  await promote()
  const history = new History(store)
  t.match(await history.read({ trackingId, since: 3 }), { recovered: false, head: 4 })
  t.match(await history.read({ trackingId, since: 2 }), {
    recovered: true,
    payments: [{ seq: 3 }, { seq: 4 }],
  })
})

/** A history whose database changes between the first two statements. */
function history(store: Store, change: () => Promise<unknown>): History {
  const { database } = store as unknown as { database: { read: (statement: unknown) => Promise<unknown> } }
  let statements = 0
  const read = async (statement: unknown) => {
    statements += 1
    if (statements === 2) await change()
    return database.read(statement)
  }
  return new History({ ...store, database: { ...database, read } } as unknown as Store)
}
