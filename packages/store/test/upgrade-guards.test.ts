// Where the store leans on what pg and Prisma do but do not promise. A guard that fails says what a new version changed.
import { createDatabase, type TestContext, waitFor } from '@payment-tracking/testkit'
import pg from 'pg'
import t from 'tap'

/** A pipelined pool of one connection, with the statements that reached pg, and a lock that holds the first of them. */
async function openHeldPool(t: TestContext) {
  const { url, pool } = await createDatabase(t)
  const sent: string[] = []
  class CountingClient extends pg.Client {
    override query = ((config: { text: string }, ...rest: []) => {
      sent.push(config.text)
      return super.query(config, ...rest)
    }) as unknown as pg.Client['query']
  }
  const pipelined = new pg.Pool({ connectionString: url, max: 1, pipeline: true, Client: CountingClient })
  t.teardown(() => pipelined.end())
  const holder = await pool.connect()
  await holder.query('select pg_advisory_lock(1)')
  const release = async () => {
    await holder.query('select pg_advisory_unlock(1)')
    holder.release()
  }
  return { pipelined, sent, release }
}

t.test('upgrade guard: pg sends a statement of a pipeline before the last is answered', async t => {
  const { pipelined, release } = await openHeldPool(t)
  const client = await pipelined.connect()
  const { stream } = (client as unknown as { connection: { stream: { bytesWritten: number } } }).connection
  const first = client.query({ text: 'select pg_advisory_lock(1)' })
  const before = stream.bytesWritten
  const second = client.query({ text: `select '${'x'.repeat(5_000)}'` })
  await waitFor(() => stream.bytesWritten > before + 5_000, { what: 'the second statement to be sent' })
  await release()
  await Promise.all([first, second])
  client.release()
})

t.test('upgrade guard: Postgres answers the commit of a failed transaction with a rollback', async t => {
  const { pipelined, release } = await openHeldPool(t)
  const client = await pipelined.connect()
  await client.query({ text: 'begin' })
  await t.rejects(client.query({ text: 'select 1 / 0' }), { code: '22012' })
  t.equal((await client.query({ text: 'commit' })).command, 'ROLLBACK')
  client.release()
  await release()
})
