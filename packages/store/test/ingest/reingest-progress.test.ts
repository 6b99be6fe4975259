// How far the stream was read again is kept, so that a reader after a crash continues there.
import t from 'tap'
import { markReingested, moveReingest, readHeadNow } from '../../src/index.js'
import { openTestStore } from '../open-test-store.js'

t.test('a reader records its progress, and no reader records progress that is not its own', async t => {
  const { store, pool } = await openTestStore(t)
  const from = async () => Number((await readHeadNow(store)).reingestFrom)
  await pool.query('update stream_head set reingest_from = 1')
  const { epoch } = await readHeadNow(store)

  t.equal(await moveReingest(store, epoch, 1, 501), true)
  t.equal(await from(), 501)
  t.equal(await moveReingest(store, epoch, 1, 301), false, 'a second reader is behind the first')
  t.equal(await from(), 501)
  const other = '00000000-0000-4000-8000-000000000000'
  t.equal(await moveReingest(store, other, 501, 601), false, 'commits were lost again since')
  t.equal(await from(), 501)

  await pool.query('update stream_head set reingest_from = 100')
  t.equal(await moveReingest(store, epoch, 501, 601), false, 'more must be read again since')
  t.equal(await from(), 100)

  await markReingested(store, epoch, 1)
  t.equal((await readHeadNow(store)).reingestFrom, null)
})
