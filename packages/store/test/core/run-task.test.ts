// A row of work whose pages time out holds nobody up: it comes after all other work, with half the rows, and in the end it is
// quarantined, where operators see it and give it back.
import t from 'tap'
import { StoreTimeoutError, StoreUnavailableError } from '../../src/core/errors.js'
import { countQuarantined, listQuarantined, takeBack } from '../../src/core/quarantine/quarantined-rows.js'
import { MOST_TIMEOUTS, runTask, type Task } from '../../src/core/tasks/run-task.js'
import { underLease } from '../../src/core/tasks/under-lease.js'
import { WorkOrder } from '../../src/core/tasks/work-order.js'
import { openTestStore } from '../open-test-store.js'

const SLOW = 'slow'
const ROWS = 64

const { store, pool } = await openTestStore(t)
t.beforeEach(() => pool.query('truncate work, quarantine'))

/** Writes down work, the oldest first. */
const add = (keys: readonly string[], gateway = '') =>
  pool.query(
    `insert into work (kind, key, gateway, next_at)
     select 'test', key, $2, now() - interval '1 h' + n * interval '1 s' from unnest($1::text[]) with ordinality as k (key, n)`,
    [keys, gateway],
  )

/** A task that notes each page, and whose pages fail while they have a key. */
function buildTask({ together = 1, error }: { together?: number; error?: Error } = {}) {
  const pages: string[] = []
  const failing = new Set([SLOW])
  const leased = underLease(async (_, work) => ({ done: [work] }))
  const task: Task<unknown> = {
    together: () => together,
    doPage: async (of, works, rows) => {
      pages.push(`${works.map(({ key }) => key).join(' ')}: ${rows}`)
      if (works.some(({ key }) => failing.has(key))) throw error ?? new StoreTimeoutError('planted')
      for (const work of works) await leased.doPage(of, [work], rows)
      return { result: works.length, heldMs: 1 }
    },
  }
  const order = new WorkOrder()
  const doPage = () =>
    runTask(store, { test: task }, { order, sizer: { rowsOf: () => ROWS, note: () => {} } })
  return { pages, failing, doPage }
}

t.test('it comes after all other work, also of its gateway, with half the rows each time', async t => {
  await add([SLOW, 'a', 'b'])
  const { pages, failing, doPage } = buildTask()
  await t.rejects(doPage(), StoreTimeoutError)
  await doPage()
  await doPage()
  await t.rejects(doPage(), StoreTimeoutError)
  t.same(pages, [`slow: ${ROWS}`, `a: ${ROWS}`, `b: ${ROWS}`, `slow: ${ROWS / 2}`])
  failing.clear()
  await doPage()
  t.equal(pages.at(-1), `slow: ${ROWS / 4}`)
  t.same(await doPage(), [], 'nothing is left')
})

t.test('after so many timeouts it is quarantined, seen, and given back with all its rows', async t => {
  await add([SLOW])
  const { pages, failing, doPage } = buildTask()
  for (let count = 0; count < MOST_TIMEOUTS; count++) {
    t.same(await countQuarantined(store), [])
    await t.rejects(doPage(), StoreTimeoutError)
  }
  t.equal(pages.length, MOST_TIMEOUTS)
  t.same(await doPage(), [], 'the task leaves it out')
  t.same(await countQuarantined(store), [{ task: 'task', count: 1n }], 'the metric')
  const [row] = await listQuarantined(store, 9)
  t.match(row, { task: 'task', key: 'test slow', error: /planted/ }, "the operators' page")
  failing.clear()
  t.ok(await takeBack(store, row!))
  await doPage()
  t.equal(pages.at(-1), `slow: ${ROWS}`)
  t.equal((await pool.query('select from work')).rowCount, 0)
})

t.test('what shares a page with it is done, and counts no timeout', async t => {
  await add(['a', SLOW, 'b', 'c'])
  const { pages, doPage } = buildTask({ together: 4 })
  await t.rejects(doPage(), StoreTimeoutError)
  const wanted = ['a slow b c', 'a slow', 'a', 'slow'].map(page => `${page}: ${ROWS}`)
  t.same(pages, wanted)
  await doPage()
  t.equal(pages.at(-1), `b c: ${ROWS}`)
  t.same((await pool.query('select key, timeouts from work')).rows, [{ key: SLOW, timeouts: 1 }])
})

t.test('gateways take turns, whatever waits of each', async t => {
  await add(['1', '2', '3'], 'one')
  await add(['4'], 'two')
  const { pages, doPage } = buildTask()
  for (let count = 0; count < 4; count++) await doPage()
  const inTurn = ['1', '4', '2', '3'].map(page => `${page}: ${ROWS}`)
  t.same(pages, inTurn)
})

t.test('an outage is no timeout of the row', async t => {
  await add([SLOW])
  const { doPage } = buildTask({ error: new StoreUnavailableError('planted') })
  for (let count = 0; count <= MOST_TIMEOUTS; count++) await t.rejects(doPage(), StoreUnavailableError)
  t.same(await countQuarantined(store), [])
})

t.test('a row is taken by one process, and by another one when the first is gone', async t => {
  await add(['a'])
  const taken: string[] = []
  let die = (): void => {}
  const dies = new Promise<never>((_, reject) => (die = () => reject(new StoreUnavailableError('gone'))))
  const first = underLease(async (_, work) => {
    taken.push('first')
    die()
    await dies
    return { done: [work] }
  })
  await t.rejects(runTask(store, { test: first }, {}), StoreUnavailableError)
  const second = underLease(async (_, work) => {
    taken.push('second')
    return { done: [work] }
  })
  t.same(await runTask(store, { test: second }, {}), [], 'the first one holds it for a while')
  await pool.query('update work set next_at = now()')
  t.equal((await runTask(store, { test: second }, {})).length, 1)
  t.same(taken, ['first', 'second'])
  t.equal((await pool.query('select from work')).rowCount, 0)
})
