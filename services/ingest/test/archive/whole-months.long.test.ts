// A month leaves the lists whole and comes back whole: behind each transaction of the archiver, and for readers beside it.
import {
  findArchivedAfter,
  findArchivedEvent,
  findArchivedMonth,
  listEventsAfter,
  readArchivedUpTo,
  readFirstEvent,
  readPaymentTrace,
} from '@payment-tracking/store/reads'
import { beginRestore, endRestore, listArchiveParts } from '@payment-tracking/store/ingest'
import { openStore, readStreamHead, type Store } from '@payment-tracking/store/core'
import { countRows, openTestStore, waitFor, withClient } from '@payment-tracking/testkit'
import t, { type Test } from 'tap'
import { drain, GATEWAY, ingest, signatureOf, START } from '../recompute-history.js'
import { findHalfMonths, halvesOf, listAll, listMonths, type Months } from './half-months.js'
import {
  countShort,
  monthsBefore,
  openArchive,
  operate,
  paidIn,
  pay,
  relayAll,
  stoppingAfter,
  take,
  watched,
} from './open-archive.js'

t.setTimeout(300_000)
const MONTH_SECONDS = 31 * 86_400
const SLOTS = Array.from({ length: 240 }, (_, at) => 100 + at * 30_000)
const monthOfSlot = (slot: number) => new Date((START + slot) * 1_000).toISOString().slice(0, 7)

/** All ways to ask for events, at one moment. @returns the months in lists */
async function checkEverywhere(t: Test, store: Store, wereThere: Months): Promise<string[]> {
  const months = await listMonths(store)
  t.strictSame(halvesOf(months, wereThere), [], 'the list')
  const isThere = (month: string) => months.has(month)
  const byGateway = await listAll(store, { gateway: GATEWAY, retracted: true })
  const found = [...new Set(byGateway.map(({ timestamp }) => timestamp.slice(0, 7)))].sort()
  t.strictSame(found, [...months.keys()].sort(), 'the list of a key')
  const { position: upTo } = await readStreamHead(store)
  const stream = await listEventsAfter(store, { after: 0n, upTo, limit: 100_000 }, new Map())
  const streamed = stream.map(({ occurredAt }) => occurredAt.toISOString().slice(0, 7))
  for (const [month, all] of wereThere)
    t.equal(streamed.filter(of => of === month).length, isThere(month) ? all.size : 0, `stream of ${month}`)
  for (const slot of [SLOTS[0]!, SLOTS[40]!, SLOTS[130]!]) {
    const signature = signatureOf(`PaymentRecord ${slot}`)
    const month = monthOfSlot(slot)
    const [trace] = await readPaymentTrace(store, signature)
    t.equal(trace !== undefined, isThere(month), `the trace of a payment of ${month}`)
    t.equal(await findArchivedMonth(store, { signature }), isThere(month) ? null : month, `410 for ${month}`)
    const [id] = wereThere.get(month)!
    const foundMonth = await findArchivedEvent(store, id!)
    t.equal(foundMonth, isThere(month) ? null : month, `410 for a cursor of ${month}`)
  }
  const first = await readFirstEvent(store)
  t.equal(first.occurredAt!.toISOString().slice(0, 7), [...months.keys()].sort()[0], 'where lists begin')
  return [...months.keys()].sort()
}

/** A store with some months of final payments, of which everybody was notified. */
async function openMonths(t: Test) {
  const { store, database } = await openTestStore(t)
  await take(store, database.pool, paidIn(SLOTS))
  return { store, database }
}

t.test('no reader finds a part of a month while it moves, or moves back', async t => {
  const { store, database } = await openMonths(t)
  const wereThere = await listMonths(store)
  const archive = await openArchive(t, store)

  const beside = openStore({ DATABASE_URL: database.url, poolSize: 2 })
  t.teardown(() => beside.close())
  const seen = new Set<string>()
  let isReading = true
  let reads = 0
  const reader = (async () => {
    for (; isReading; reads++) for (const half of await findHalfMonths(beside, wereThere)) seen.add(half)
  })()

  const states: string[] = []
  let pages = 0
  const check = async (kind: 'page' | 'move') => {
    if (kind === 'page') pages += 1
    const state = (await checkEverywhere(t, store, wereThere)).join(' ')
    if (state !== states.at(-1)) states.push(state)
    const first = await readFirstEvent(store)
    t.equal(await findArchivedAfter(store, first.position! - 1n), null, 'streams begin where lists begin')
    t.ok((await readArchivedUpTo(store)) < first.position!)
  }
  await archive.run({
    store: watched(store, check),
    eventsAPart: 40,
    months: monthsBefore(new Date((START + 2 * MONTH_SECONDS) * 1_000)),
  })
  const all = [...wereThere.keys()].sort()
  const [whole, second, third] = [0, 1, 2].map(gone => all.slice(gone).join(' '))
  t.strictSame(states, [whole, second, third], 'one month after the other leaves at once')
  t.ok(pages > 12, `${pages} pages`)

  for (const month of [all[1]!, all[0]!])
    await operate(watched(store, check), archive.files, { does: 'restore', month })
  t.strictSame(states, [whole, second, third, second, whole], 'and comes back at once')
  isReading = false
  await reader
  t.ok(reads > 20, `${reads} reads`)
  t.strictSame([...seen], [], 'no half for readers beside')
})

t.test('a restore that was stopped is finished by the archiver, and till then changes nothing', async t => {
  const { store, database } = await openMonths(t)
  const wereThere = await listMonths(store)
  const [first, , third] = [...wereThere.keys()].sort() as [string, string, string]
  const archive = await openArchive(t, store)
  await archive.run({ months: monthsBefore(new Date(`${third}-01Z`)) })
  await beginRestore(store, first, 30)
  const stop = new AbortController()
  await archive.run({ store: stoppingAfter(store, 3, stop) }, stop.signal)
  const [left, all] = [await countShort(database.pool), wereThere.get(first)!.size]
  t.ok(left > 0, `${left} of ${all} events are short`)
  t.strictSame(await checkEverywhere(t, store, wereThere), [...wereThere.keys()].sort().slice(2))
  await endRestore(store)
  t.strictSame(
    await checkEverywhere(t, store, wereThere),
    [...wereThere.keys()].sort().slice(2),
    'no process ends it before every file is filled',
  )
  await archive.run({ months: 0 })
  await ingest(store, [pay(SLOTS.at(-1)! + 7)])
  await relayAll(database.pool)
  await archive.run({ months: 0 })
  t.equal(await countShort(database.pool), 0)
  t.strictSame(halvesOf(await listMonths(store), wereThere), [])
  t.equal((await listMonths(store)).size, wereThere.size, 'nothing is archived for 30 days')
  t.strictSame(await listArchiveParts(store), [])
})

t.test('what comes late for an archived month is in the stream at once, and then archived', async t => {
  const { store, database } = await openMonths(t)
  const archive = await openArchive(t, store)
  const months = monthsBefore(new Date((START + 2 * MONTH_SECONDS) * 1_000))
  await archive.run({ months })
  const parts = await listArchiveParts(store)
  const head = await readStreamHead(store)
  const late = SLOTS[0]! + 7
  await ingest(store, [pay(late), pay(SLOTS.at(-1)! + 7)])
  await drain(store)
  const signature = signatureOf(`PaymentRecord ${late}`)
  const streamed = async () => {
    const { position: upTo } = await readStreamHead(store)
    const events = await listEventsAfter(store, { after: head.position, upTo, limit: 10 }, new Map())
    return events.map(event => event.signature)
  }
  const newest = signatureOf(`PaymentRecord ${SLOTS.at(-1)! + 7}`)
  // Its batch is not announced.
  await archive.run({ months })
  t.strictSame(await streamed(), [signature, newest])
  t.strictSame(await listAll(store, { signature }), [])
  t.equal(await findArchivedMonth(store, { signature }), parts[0]!.month)
  t.equal(await findArchivedAfter(store, head.position), null)

  await relayAll(database.pool)
  await archive.run({ months, settledSeconds: 3_600 })
  t.strictSame(await streamed(), [signature, newest], 'it is too new')
  await archive.run({ months })
  t.strictSame(await streamed(), [newest])
  t.equal(await findArchivedAfter(store, head.position), parts[0]!.month, 'and skips nothing in silence')
  const others = await listArchiveParts(store)
  t.equal(others.length, parts.length + 1)
  t.ok(
    others.some(
      ({ count, firstPosition, state }) =>
        count === 1 && firstPosition > head.position && state === 'archived',
    ),
  )
})

t.test('pages need no writer lock, and wait for no row that ingest holds', async t => {
  const { store, database } = await openMonths(t)
  const archive = await openArchive(t, store)
  const stop = new AbortController()
  const months = monthsBefore(new Date((START + MONTH_SECONDS) * 1_000))
  await archive.run({ months, store: stoppingAfter(store, 1, stop) }, stop.signal)
  const [part] = await listArchiveParts(store)
  t.match(part, { state: 'shrinking' })
  const left = () =>
    countRows(database.pool, 'events where amount is not null and not shrunk and position <= $1', [
      part!.lastPosition,
    ])
  await withClient(database.url, async ingesting => {
    await ingesting.query('begin; select from stream_head for update')
    await ingesting.query(
      'select from events where position = (select max(position) from events where amount is not null and not shrunk and position <= $1) for update',
      [part!.lastPosition],
    )
    const running = archive.run({ months })
    await waitFor(async () => (await left()) === 1, { what: 'all other events' })
    await ingesting.query('rollback')
    await running
  })
  t.equal(await left(), 0)
})
