// What the indexes of events cost at each insert: CPU of Postgres for an event with all of them, beside the three that
// ingest cannot do without. Both insert the same rows in turns. CPU time means something on a busy machine too.
import type { Client } from '@payment-tracking/testkit'
import { readFile } from 'node:fs/promises'
import { inTurns, type Bench } from './bench.js'
import { copyFilled, type FilledDatabase } from './fill.js'

const BATCH = 1_000
const NEEDED = ['events_pkey', 'events_position_key', 'events_tracking_seq']
/** Ticks of 10 ms: /proc counts a process' time in them. */
const TICK_MICROSECONDS = 10_000

/** CPU of a connection's backend, in µs. The server runs on this machine, under Linux. */
async function readCpu(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * TICK_MICROSECONDS
}

/** Rows that continue the stored events: later, in other transactions, with the next numbers. */
async function prepare(client: Client, count: number): Promise<void> {
  await client.query('drop table if exists fresh')
  await client.query('create table fresh (like events including defaults)')
  await client.query('insert into fresh select * from events order by position desc limit $1', [count])
  await client.query(
    `update fresh set id = gen_random_uuid(), position = position + $1, slot = slot + 25 * $1::bigint,
            signature = left(md5(signature) || signature, 88), seq = seq + 1000000 * $1::bigint,
            occurred_at = occurred_at + $1 * interval '10 seconds'`,
    [count],
  )
  await client.query('create index on fresh (position)')
  await client.query('vacuum analyze fresh')
}

const insertAll =
  ({ pool }: FilledDatabase, count: number) =>
  async (): Promise<number> => {
    const client = await pool.connect()
    try {
      await prepare(client, count)
      const { rows } = await client.query<{ pid: number; first: string }>(
        'select pg_backend_pid() as pid, min(position) as first from fresh',
      )
      const { pid, first } = rows[0]!
      const before = await readCpu(pid)
      for (let at = Number(first); at < Number(first) + count; at += BATCH)
        await client.query(
          'insert into events select * from fresh where position >= $1 and position < $2 order by position',
          [at, at + BATCH],
        )
      return ((await readCpu(pid)) - before) / count
    } finally {
      client.release()
    }
  }

export const bench: Bench = {
  name: 'insert-indexes',
  about: 'CPU of Postgres to insert an event with all indexes, and with three',
  async run(context) {
    const count = context.quick ? 5_000 : 40_000
    const stored = context.quick ? 5_000 : 100_000
    const [all, needed] = [await copyFilled(context, stored), await copyFilled(context, stored)]
    const { rows } = await needed.pool.query<{ name: string }>(
      `select indexrelid::regclass::text as name from pg_index where indrelid = 'events'::regclass`,
    )
    for (const { name } of rows) if (!NEEDED.includes(name)) await needed.pool.query(`drop index ${name}`)
    const { subject, limit } = await inTurns(
      context.quick ? 1 : 5,
      insertAll(all, count),
      insertAll(needed, count),
    )
    return [
      {
        subject: `CPU of Postgres to insert an event, ${rows.length} indexes`,
        unit: 'µs',
        largerIsBetter: false,
        measured: subject,
        limit: { name: `${NEEDED.length} indexes`, measured: limit },
      },
    ]
  },
}
