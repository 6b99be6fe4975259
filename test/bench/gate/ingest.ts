// Ingest: CPU of this process and of its connection of Postgres to read and commit an event, beside COPY of the same rows
// into a table without indexes. From memory: batches of a stream have another size in each run.
import { openStore } from '@payment-tracking/store'
import { openPool } from '@payment-tracking/testkit'
import { watchBackends } from '../cpu.js'
import { openFeed } from '../feed.js'
import { copyFilled } from '../fill.js'
import { commitAll, copyAll, readAll, toCopyLine } from '../ingest-load.js'
import { addWebhooks } from '../ingest-stream.js'
import type { GateKind } from './gate-kind.js'

const EVENTS = 4_000
const [SUBJECT, LIMIT] = ['gate-ingest', 'gate-copy']

export const ingest: GateKind = {
  rows: ['ingest of an event'],
  async open(context) {
    const { url, pool } = await copyFilled(context, 10_000)
    await pool.query('create table bare_events (like events including defaults)')
    const store = openStore({ DATABASE_URL: url, poolSize: 1, applicationName: SUBJECT })
    context.teardown(() => store.close())
    const copier = openPool(`${url}?application_name=${LIMIT}`, { max: 1 })
    context.teardown(() => copier.end())
    const [feed, bare] = [await openFeed('gate'), await openFeed('gate, bare')]
    await addWebhooks(pool, feed)

    const measure = async (application: string, work: () => Promise<void>): Promise<number> => {
      const [before, backends] = [process.cpuUsage(), await watchBackends(pool, application)]
      await work()
      const { user, system } = process.cpuUsage(before)
      return (user + system + (await backends())) / EVENTS
    }
    return [
      {
        name: 'ingest of an event',
        async subject() {
          const messages = await feed.next(EVENTS)
          return measure(SUBJECT, () => commitAll(store, readAll(messages)))
        },
        async limit() {
          const lines = readAll(await bare.next(EVENTS)).map(({ event }, index) => toCopyLine(event, index))
          return measure(LIMIT, () => copyAll(copier, lines))
        },
      },
    ]
  },
}
