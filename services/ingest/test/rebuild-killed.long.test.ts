// A rebuild that is killed while an address is left out: the next process goes on with the rest, and the address is rebuilt
// when an operator gives it back.
import { fileURLToPath } from 'node:url'
import { listQuarantined, takeBack } from '@payment-tracking/store/core'
import { SHORT_LIVED_OPTIONS } from '@payment-tracking/stack'
import { dumpProjections, openTestStore, startProgram, waitFor } from '@payment-tracking/testkit'
import t from 'tap'
import { created, drain, ingest, pay, PERIODS, policyOf, userPayment } from './recompute-history.js'

const REBUILD = fileURLToPath(new URL('../../../packages/store/dist/rebuild.js', import.meta.url))
const POLICIES = Array.from({ length: 60 }, (_, at) => at + 1)

const { store, database, pool } = await openTestStore(t)
await ingest(store, [
  userPayment,
  ...POLICIES.flatMap(id => [created(id, 10 * id, PERIODS), pay(10 * id + 1, id)]),
])
await drain(store)
const before = await dumpProjections(pool)
// The one whose turn comes early, so that most of the rebuild is behind it.
const [bad] = POLICIES.map(policyOf).sort()
await pool.query('update policies set total_paid = 0')
// Slow, so that the kill comes between its pages.
await pool.query(
  `create function fail() returns trigger language plpgsql as $$
     begin
       if new.address = '${bad}' then raise exception 'planted'; end if;
       perform pg_sleep(0.02);
       return new;
     end $$;
   create trigger planted before insert or update on policies for each row execute function fail()`,
)
const wrong = async () =>
  (await pool.query<{ address: string }>('select address from policies where total_paid = 0')).rows.map(
    ({ address }) => address,
  )
const left = async () =>
  (await pool.query<{ name: string }>(`select kind || ' ' || key as name from work order by 1`)).rows.map(
    ({ name }) => name,
  )
const quarantined = async () => (await listQuarantined(store, 9)).map(({ task, key }) => `${task} ${key}`)
const LEFT_OUT = `policy ${bad}`
/** What else is left may be done by another process. */
const isGoingOn = async () => {
  const works = await left()
  return works.includes(LEFT_OUT) && works.length > 1
}

/** Begins a rebuild, and kills it when it is under way as far as the condition says. */
async function killRebuild(isFar: () => Promise<boolean>): Promise<void> {
  const program = startProgram(t, process.execPath, [...SHORT_LIVED_OPTIONS, REBUILD], {
    env: { DATABASE_URL: database.url },
  })
  await waitFor(isFar, { what: 'a rebuild under way', timeoutMs: 60_000, intervalMs: 5 })
  await program.kill()
  // Its connection may still do the page in hand.
  await waitFor(
    async () =>
      (
        await pool.query(
          `select 1 from pg_stat_activity where datname = current_database() and application_name like '%rebuild%'`,
        )
      ).rows.length === 0,
    { what: 'the end of its connections' },
  )
}

t.test('it is killed when it has left the address out, and again when it has passed it', async t => {
  await killRebuild(async () => (await quarantined()).length > 0)
  t.ok(await isGoingOn())
  t.ok((await wrong()).length > 1, 'others wait')
  const some = (await wrong()).length
  await killRebuild(async () => (await wrong()).length < some - 5)
  t.ok(await isGoingOn())
  t.ok((await wrong()).length > 1, 'others still wait')
})

t.test('the next process does the rest, and leaves the address out', async t => {
  await drain(store)
  t.same(await wrong(), [bad])
  t.same(await left(), [LEFT_OUT])
  t.same(await quarantined(), [`task policy ${bad}`], 'once')
})

t.test('given back, it is rebuilt', async t => {
  await pool.query('drop trigger planted on policies')
  for (const row of await listQuarantined(store, 9)) t.ok(await takeBack(store, row))
  await drain(store)
  t.same(await left(), [])
  t.strictSame(await dumpProjections(pool), before)
})
