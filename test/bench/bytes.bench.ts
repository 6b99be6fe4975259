// How many bytes on the disk of Postgres one payment costs whose gateway has one endpoint. Counted is all that is written until the
// delivery has ended: rows, their entries in indexes, and the old versions that updates leave behind. Each batch is delivered before
// the next one is stored: of a backlog, the sweeper writes the rows once more.
import { createHash } from 'node:crypto'
import bs58 from 'bs58'
import { commitBatch } from '@payment-tracking/store/ingest'
import { waitFor } from '@payment-tracking/testkit'
import type { Bench, Row } from './bench.js'
import { openFeed } from './feed.js'
import { inBatches, readAll } from './ingest-batches.js'
import { countOpen, openEndpoints, openRig, type Rig } from './webhook-rig.js'

/** Of these every twentieth creates a policy. */
const FIRST_MESSAGES = 2_000
/** Payments of a batch. The sweeper writes deliveries that no worker has taken 5 seconds after they were due. */
const AT_ONCE = 500
/** Below this, a table is no part of the cost. */
const LEAST_BYTES = 10

interface Size {
  name: string
  heap: number
  indexes: number
}

async function readSizes({ database }: Rig): Promise<Map<string, Size>> {
  const { rows } = await database.pool.query<Size>(
    `select relname as name, (pg_table_size(oid))::float8 as heap, (pg_indexes_size(oid))::float8 as indexes
       from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`,
  )
  return new Map(rows.map(size => [size.name, size]))
}

export const bench: Bench = {
  name: 'bytes',
  about: 'bytes of Postgres for one payment and its delivery to one endpoint',
  async run(context) {
    const payments = context.quick ? 2_000 : 30_000
    const rig = await openRig(context)
    const feed = await openFeed('bytes')
    const first = await feed.next(FIRST_MESSAGES)
    const endpoints = await openEndpoints(context, feed.gateways.length)
    for (const [at, gateway] of feed.gateways.entries())
      await rig.database.pool.query(
        `insert into webhooks (gateway, endpoint_url, secret) values ($1, $2, 'whsec_${'A'.repeat(43)}=')`,
        [gateway, endpoints[at]],
      )
    const commit = async (bytes: readonly Uint8Array[]) => {
      for (const batch of inBatches(readAll(bytes), AT_ONCE)) {
        await rig.enqueue((await commitBatch(rig.store, batch)).deliveries)
        await waitFor(async () => (await countOpen(rig)) === 0, {
          what: 'its deliveries',
          timeoutMs: 300_000,
          intervalMs: 10,
        })
      }
    }
    await commit(first.map(({ bytes }) => bytes))
    const before = await readSizes(rig)
    const templates = first
      .filter(({ name }) => name === 'PaymentRecord')
      .map(({ bytes }) => Buffer.from(bytes))
    const made = Array.from({ length: payments }, (_, n) => {
      const message = JSON.parse(templates[n % templates.length]!.toString()) as {
        slot: number
        signature: string
        timestamp: string
        data: { record_id: number; timestamp: string }
      }
      message.slot += FIRST_MESSAGES + n
      message.signature = bs58.encode(createHash('sha512').update(`bytes ${n}`).digest())
      message.timestamp = new Date(Date.parse(message.timestamp) + (FIRST_MESSAGES + n) * 1_000).toISOString()
      message.data.record_id += 1_000 + n
      message.data.timestamp = String(Math.floor(Date.parse(message.timestamp) / 1_000))
      return Buffer.from(JSON.stringify(message))
    })
    context.say(`${payments} payments of ${made[0]!.length} bytes`)
    await commit(made)
    const row = (subject: string, bytes: number, note?: string): Row => ({
      subject,
      unit: 'bytes',
      figure: Math.round(bytes / payments),
      ...(note === undefined ? {} : { note }),
    })
    const grown = [...(await readSizes(rig)).values()]
      .map(({ name, heap, indexes }) => ({
        name,
        heap: heap - (before.get(name)?.heap ?? 0),
        indexes: indexes - (before.get(name)?.indexes ?? 0),
      }))
      .sort((a, b) => b.heap + b.indexes - a.heap - a.indexes)
    const all = grown.reduce((sum, { heap, indexes }) => sum + heap + indexes, 0)
    return [
      row('one payment and its delivery', all),
      ...grown
        .filter(({ heap, indexes }) => (heap + indexes) / payments >= LEAST_BYTES)
        .map(({ name, heap, indexes }) =>
          row(`of it ${name}`, heap + indexes, `${Math.round(indexes / payments)} in indexes`),
        ),
    ]
  },
}
