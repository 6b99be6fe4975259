// From where the stream is read again after a loss of commits, and how far it was: a reader after a crash continues there.
import { buildBatch, buildChain } from '@payment-tracking/testkit'
import t, { type Test } from 'tap'
import { commitBatch } from '../../src/ingest/batch/commit-batch.js'
import {
  markReingested,
  moveReingest,
  readHeadNow,
  verifyDatabase,
} from '../../src/ingest/verify/verify-database.js'
import { openTestStore } from '../open-test-store.js'

const FIRST = new Date('2026-01-01T00:00:00.000Z')
const ANEW = new Date('2026-02-01T00:00:00.000Z')
const MARGIN = 20
const placeOf = (createdAt: Date | null, sequence: number) => ({ createdAt, sequence: BigInt(sequence) })

async function openGuarded(t: Test) {
  const { store, pool } = await openTestStore(t)
  const chain = buildChain({ seed: 'reingest' })
  const verify = () =>
    verifyDatabase(store, { readRecord: () => Promise.resolve(null), reingestMargin: MARGIN })
  await verify()
  /** Stores one new event, which a stream holds at this sequence. */
  const commitAt = async (createdAt: Date, streamSequence: number) => {
    const { received, ...batch } = buildBatch([(await chain.openGateway()).created])
    const stream = { name: 'S', createdAt }
    await commitBatch(store, {
      ...batch,
      stream,
      received: received.map(each => ({ ...each, streamSequence })),
    })
  }
  /** Another server answers, as after a failover. @returns from where the stream is to be read again */
  const failOver = async () => {
    await pool.query(`update stream_head set verified_timeline = 'another'`)
    return (await verify()).reingestFrom
  }
  return { store, pool, commitAt, failOver }
}

t.test('payments of a stream that was made anew before a failover were not read again', async t => {
  t.test('the sequence is one of the newest stream', async t => {
    const { commitAt, failOver } = await openGuarded(t)
    await commitAt(FIRST, 1_000_000)
    await commitAt(ANEW, 50)
    t.same(await failOver(), placeOf(ANEW, 50 - MARGIN))
  })
  t.test('a message of the older stream that comes late does not move it', async t => {
    const { commitAt, failOver } = await openGuarded(t)
    await commitAt(ANEW, 50)
    await commitAt(FIRST, 1_000_000)
    t.same(await failOver(), placeOf(ANEW, 50 - MARGIN))
  })
  t.test('it is the highest: an older message that is read again does not move it', async t => {
    const { commitAt, failOver } = await openGuarded(t)
    await commitAt(FIRST, 500)
    await commitAt(FIRST, 3)
    t.same(await failOver(), placeOf(FIRST, 500 - MARGIN))
  })
  t.test('what a first failover left to read again is read again after a second one', async t => {
    const { store, commitAt, failOver } = await openGuarded(t)
    await commitAt(FIRST, 1_000_000)
    // Everything of the stream that was made anew is lost, and live messages of that stream come before it is read again.
    t.same(await failOver(), placeOf(FIRST, 1_000_000 - MARGIN), 'not of the newest: from its beginning')
    await commitAt(ANEW, 500)
    t.same(await failOver(), placeOf(FIRST, 1_000_000 - MARGIN))
    const { epoch } = await readHeadNow(store)
    await moveReingest(store, epoch, placeOf(FIRST, 1_000_000 - MARGIN), placeOf(ANEW, 101))
    t.same(await failOver(), placeOf(ANEW, 101), 'the earlier one of two')
    await commitAt(ANEW, 600)
    await markReingested(store, (await readHeadNow(store)).epoch)
    t.same(await failOver(), placeOf(ANEW, 600 - MARGIN))
  })
  t.test('of a database that knows no stream everything is read again', async t => {
    const { pool, commitAt, failOver } = await openGuarded(t)
    await commitAt(FIRST, 500)
    await pool.query('update stream_head set stream_created_at = null, stream_sequence = null')
    t.same(await failOver(), placeOf(null, 1))
  })
})

t.test('a reader records its progress, and no reader records progress that is not its own', async t => {
  const { store, pool } = await openTestStore(t)
  const from = async () => Number((await readHeadNow(store)).reingestFrom?.sequence)
  await pool.query('update stream_head set reingest_from = 1')
  const { epoch } = await readHeadNow(store)
  const at = (sequence: number) => placeOf(FIRST, sequence)

  t.equal(await moveReingest(store, epoch, placeOf(null, 1), at(501)), true)
  t.equal(await from(), 501)
  t.equal(await moveReingest(store, epoch, placeOf(null, 1), at(301)), false, 'a second reader is behind')
  t.equal(await from(), 501)
  t.equal(await moveReingest(store, epoch, placeOf(ANEW, 501), placeOf(ANEW, 601)), false, 'other stream')
  t.equal(await from(), 501)
  const other = '00000000-0000-4000-8000-000000000000'
  t.equal(await moveReingest(store, other, at(501), at(601)), false, 'commits were lost again since')
  t.equal(await from(), 501)

  await pool.query('update stream_head set reingest_from = 100')
  t.equal(await moveReingest(store, epoch, at(501), at(601)), false, 'more must be read again since')
  t.equal(await from(), 100)

  await markReingested(store, epoch)
  t.equal((await readHeadNow(store)).reingestFrom, null)
})
