// A month leaves the lists whole and comes back whole: between any two transactions of the archiver, and for readers beside it.
import {
  findArchivedAfter,
  findArchivedEvent,
  findArchivedMonth,
  listArchiveParts,
  listEvents,
  listEventsAfter,
  openStore,
  readArchivedUpTo,
  readFirstEvent,
  readPaymentTrace,
  readStreamHead,
  wantMonthLive,
  type Store,
} from '@payment-tracking/store'
import t, { type Test } from 'tap'
import { runArchive } from '../../src/archive/archive-command.js'
import { openTestStore } from '../open-test-store.js'
import {
  created,
  drain,
  GATEWAY,
  ingest,
  pay,
  PERIODS,
  signatureOf,
  START,
  userPayment,
} from '../refold-history.js'
import { findHalfMonths, halvesOf, listMonths, type Months } from './half-months.js'
import { monthsBefore, openArchive } from './open-archive.js'

t.setTimeout(300_000)
const MONTH_SECONDS = 31 * 86_400
const SLOTS = Array.from({ length: 240 }, (_, at) => 100 + at * 30_000)
const final = {
  subject: 'chain.events.control.finalized',
  bytes: Buffer.from(`{"slot":${9 * MONTH_SECONDS}}`),
}
const monthOfSlot = (slot: number) => new Date((START + slot) * 1_000).toISOString().slice(0, 7)
const PAGE = { rowsOf: () => 15, note: () => {} }
const quiet = { info: () => {}, warn: () => {} }

/** All ways to ask for events, at one moment. @returns the months in lists */
async function lookEverywhere(t: Test, store: Store, wereThere: Months): Promise<string[]> {
  const months = await listMonths(store)
  t.strictSame(halvesOf(months, wereThere), [], 'the list')
  const isThere = (month: string) => months.has(month)
  const byGateway = await listEvents(
    store,
    { gateway: GATEWAY, retracted: true },
    { limit: 100_000, offset: 0 },
  )
  t.strictSame(
    [...new Set(byGateway.map(({ timestamp }) => timestamp.slice(0, 7)))].sort(),
    [...months.keys()].sort(),
    'the list of a key',
  )
  const { position: upTo } = await readStreamHead(store)
  const stream = await listEventsAfter(store, { after: 0n, upTo, limit: 100_000 }, new Map())
  const streamed = stream.map(({ occurredAt }) => occurredAt.toISOString().slice(0, 7))
  for (const [month, all] of wereThere)
    t.equal(
      streamed.filter(of => of === month).length,
      isThere(month) ? all.size : 0,
      `the stream of ${month}`,
    )
  for (const slot of [SLOTS[0]!, SLOTS[40]!, SLOTS[130]!]) {
    const signature = signatureOf(`PaymentRecord ${slot}`)
    const month = monthOfSlot(slot)
    const [trace] = await readPaymentTrace(store, signature)
    t.equal(trace !== undefined, isThere(month), `the trace of a payment of ${month}`)
    t.equal(await findArchivedMonth(store, { signature }), isThere(month) ? null : month, `410 for ${month}`)
    const [id] = wereThere.get(month)!
    t.equal(
      await findArchivedEvent(store, id!),
      isThere(month) ? null : month,
      `410 for a cursor of ${month}`,
    )
  }
  const first = await readFirstEvent(store)
  t.equal(first.occurredAt!.toISOString().slice(0, 7), [...months.keys()].sort()[0], 'where lists begin')
  return [...months.keys()].sort()
}

/** A store with some months of final payments, of which everybody was told. */
async function openMonths(t: Test) {
  const { store, database } = await openTestStore(t)
  await ingest(store, [userPayment, created(1, 10, PERIODS), ...SLOTS.map(slot => pay(slot)), final])
  await drain(store)
  await database.pool.query('update ingest_batches set relayed_at = now()')
  return { store, database }
}

t.test('no reader finds a part of a month while it moves, or moves back', async t => {
  const { store, database } = await openMonths(t)
  const wereThere = await listMonths(store)
  const [firstMonth, secondMonth] = [...wereThere.keys()].sort() as [string, string]
  const archive = await openArchive(t, store)

  const beside = openStore({ DATABASE_URL: database.url, poolSize: 2 })
  t.teardown(() => beside.close())
  const seen = new Set<string>()
  let isReading = true
  let reads = 0
  const reader = (async () => {
    for (; isReading; reads++) for (const half of await findHalfMonths(beside, wereThere)) seen.add(half)
  })()

  const states = new Set<string>()
  let steps = 0
  const guard = {
    serverRun: async () => {
      steps += 1
      states.add((await lookEverywhere(t, store, wereThere)).join(' '))
      const first = await readFirstEvent(store)
      t.equal(
        await findArchivedAfter(store, first.position! - 1n),
        null,
        'a stream can begin where lists begin',
      )
      t.ok((await readArchivedUpTo(store)) < first.position!)
      return undefined
    },
  }
  await archive.run({
    guard,
    sizer: PAGE,
    eventsAPart: 40,
    months: monthsBefore(new Date((START + 2 * MONTH_SECONDS) * 1_000)),
  })
  t.ok(steps > 12, `${steps} steps`)
  const archived = (await lookEverywhere(t, store, wereThere)).join(' ')
  t.strictSame((await database.pool.query('select from archive_moves')).rowCount, 0)
  t.notMatch(archived, secondMonth)
  const all = [...wereThere.keys()].sort()
  t.strictSame(
    [...states].sort(),
    [0, 1, 2].map(gone => all.slice(gone).join(' ')).sort(),
    'one month after the other leaves at once',
  )

  // A restore reads files, which gives a look between its pages.
  const { files } = archive
  const parts = {
    store,
    log: quiet,
    say: () => {},
    files: {
      check: () => files.check(),
      write: (name: string, bytes: Uint8Array) => files.write(name, bytes),
      read: async (name: string) => {
        await lookEverywhere(t, store, wereThere)
        return files.read(name)
      },
    },
  }
  await runArchive({ does: 'restore', month: firstMonth }, parts)
  t.match((await lookEverywhere(t, store, wereThere)).join(' '), firstMonth)
  isReading = false
  await reader
  t.ok(reads > 20, `${reads} reads`)
  t.strictSame([...seen], [], 'no half for readers beside')
})

t.test('lists begin behind the last month that moves, whatever was restored before it', async t => {
  const { store } = await openMonths(t)
  const wereThere = await listMonths(store)
  const [first, second, third] = [...wereThere.keys()].sort() as [string, string, string]
  const archive = await openArchive(t, store)
  await archive.run({ months: monthsBefore(new Date(`${third}-01Z`)) })
  const parts = { store, files: archive.files, log: quiet, say: () => {} }
  await runArchive({ does: 'restore', month: first }, parts)
  t.ok((await listMonths(store)).has(first))
  const signature = signatureOf(`PaymentRecord ${SLOTS[0]}`)

  await wantMonthLive(store, second)
  t.equal([...(await listMonths(store)).keys()].sort()[0], third)
  t.match(await readFirstEvent(store), { occurredAt: new Date(`${third}-01Z`) })
  t.equal(await findArchivedMonth(store, { signature }), first, 'no answer is short in silence')
  await runArchive({ does: 'restore', month: second }, parts)
  t.strictSame(halvesOf(await listMonths(store), wereThere), [])
  t.equal((await listMonths(store)).size, wereThere.size)
  t.equal(await findArchivedMonth(store, { signature }), null)
})

t.test('an event of a month that moves is in the stream at once, and in lists behind the move', async t => {
  const { store, database } = await openTestStore(t)
  await ingest(store, [
    userPayment,
    created(1, 10, PERIODS),
    ...SLOTS.slice(0, 60).map(slot => pay(slot)),
    final,
  ])
  await drain(store)
  await database.pool.query('update ingest_batches set relayed_at = now()')
  const archive = await openArchive(t, store)
  const stop = new AbortController()
  await archive.run({ sizer: { rowsOf: () => 5, note: () => stop.abort() }, months: 1 }, stop.signal)
  const [part] = await listArchiveParts(store)
  t.match(part, { moved: 5, count: 12 })
  const head = await readStreamHead(store)
  const late = SLOTS[0]! + 7
  await ingest(store, [pay(late)])
  await drain(store)
  const { position: upTo } = await readStreamHead(store)
  const events = await listEventsAfter(store, { after: head.position, upTo, limit: 10 }, new Map())
  t.strictSame(
    events.map(({ signature }) => signature),
    [signatureOf(`PaymentRecord ${late}`)],
  )
  const signature = signatureOf(`PaymentRecord ${late}`)
  t.strictSame(await listEvents(store, { signature }, { limit: 1, offset: 0 }), [])
  t.equal(await findArchivedMonth(store, { signature }), part!.month)
  // Its batch is not announced, so that only the move that had begun ends.
  await archive.run({ months: 1 })
  t.equal((await listEvents(store, { signature }, { limit: 1, offset: 0 })).length, 1)
  t.match(archive.logs.join(), /archive.waits.*too-new/)
})
