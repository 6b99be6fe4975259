// A cursor of a feed never skips what commits late, and a page examines a bounded number of rows.
import { WEBHOOK_EVENT_TYPES } from '@payment-tracking/domain'
import { addEvents, FILL_MESSAGES, waitFor, withClient } from '@payment-tracking/testkit'
import t from 'tap'
import { logMessages } from '../../../src/core/tables/messages.js'
import { readFeedPage } from '../../../src/reads/feed/read-feed-page.js'
import { type FeedKey } from '../../../src/reads/cursors.js'
import { openTestStore } from '../../open-test-store.js'

const { store, database, pool } = await openTestStore(t)

const note = (gateway: string, id: string) =>
  store.database.transaction(async tx => {
    const message = { id, type: 'expectation.paid', body: JSON.stringify(id) }
    await logMessages(tx, [{ ...message, gateway, eventId: null }])
    await tx.$executeRaw`select 1`
  })

async function read(gateway: string, after: FeedKey | null, limit = 10) {
  const page = await readFeedPage(store, { gateway, types: WEBHOOK_EVENT_TYPES, after, limit })
  if (typeof page === 'string') throw new Error(page)
  return page
}

t.test('who commits late is after the cursor of who has read on', async t => {
  await pool.query(`create function hold() returns trigger language plpgsql as $$
    begin perform pg_advisory_xact_lock(99); return new; end $$`)
  await pool.query(
    `create trigger hold before update on messages for each row when (new.message_id = 'slow') execute function hold()`,
  )
  const countHeld = async () =>
    Number((await pool.query(`select 1 from pg_locks where locktype = 'advisory' and not granted`)).rowCount)
  const { next } = await read('shop', null)
  const bodies: string[] = []
  let after = next
  const readOn = async () => {
    const page = await read('shop', after)
    bodies.push(...page.bodies)
    after = page.next
  }
  let isFast = false
  const [slow, fast] = await withClient(database.url, async client => {
    await client.query('select pg_advisory_lock(99)')
    const slow = note('shop', 'slow')
    await waitFor(async () => (await countHeld()) === 1, { what: 'the slow transaction to be held' })
    const fast = note('shop', 'fast').then(() => (isFast = true))
    await waitFor(async () => isFast || (await countHeld()) === 2, { what: 'the fast one' })
    await readOn()
    await client.query('select pg_advisory_unlock(99)')
    return [slow, fast]
  })
  await Promise.all([slow, fast])
  await readOn()
  t.same(bodies, ['"slow"', '"fast"'])
})

t.test('what is undone is not sent, and nothing is sent twice', async t => {
  await t.rejects(
    store.database.transaction(async tx => {
      await logMessages(tx, [
        { id: 'undone', type: 'expectation.paid', body: '1', gateway: 'undo', eventId: null },
      ])
      await tx.$executeRaw`select 1 / 0`
    }),
  )
  await note('undo', 'once')
  await note('undo', 'once')
  await note('another', 'once')
  t.same((await read('undo', null)).bodies, ['"once"'])
})

t.test('payments that nobody was notified of are not read, and no payment waits for them', async t => {
  // Each of them waits for a policy that never comes.
  await addEvents(pool, { last: 25 }, { gateway: `'full'`, awaits_policy: 'true' })
  await addEvents(pool, { last: 1 }, { gateway: `'full'`, tracking_id: `'paid'`, seq: '1' })
  await pool.query(FILL_MESSAGES)
  await pool.query('update stream_head set position = (select max(position) from events)')
  await note('full', 'behind')
  const bodies: string[][] = []
  for (let after: FeedKey | null = null; ;) {
    const page = await read('full', after, 10)
    bodies.push(page.bodies.map(body => (body.startsWith('{') ? 'paid' : body)))
    if (!page.hasMore) break
    after = page.next
  }
  t.same(bodies, [['paid', '"behind"']])
})
