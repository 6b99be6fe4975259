// The parts of the ingest benches: a stream, the real service on the stream, and the service's progress.
import { randomBytes } from 'node:crypto'
import { subjectOf } from '@payment-tracking/contracts'
import { natsOptions, startService, waitFor, type StartedService, type Pool } from '@payment-tracking/testkit'
import { connect } from 'nats'
import type { BenchContext } from './bench.js'
import type { Feed } from './feed.js'

/** The default of ingest. */
export const BATCH_SIZE = 2_000

export const MIX = '90 % payments, 5 % policies, 1 payment in 5 with a webhook; no webhook worker runs'

/** One payment in five has a webhook: those of every fifth gateway. */
export async function addWebhooks(pool: Pool, feed: Feed): Promise<void> {
  const gateways = feed.gateways.filter((_, index) => index % 5 === 0)
  await pool.query(
    `insert into webhooks (gateway, endpoint_url, secret)
     select gateway, 'https://receiver.invalid/', 'whsec_AAAA' from unnest($1::text[]) gateway`,
    [gateways],
  )
}

export interface BenchStream {
  /** its name, and what its subjects begin with */
  name: string
  publish(messages: Awaited<ReturnType<Feed['next']>>): Promise<void>
}

/** A stream for one ingest. */
export async function openBenchStream(context: BenchContext): Promise<BenchStream> {
  const connection = await connect(natsOptions(context.servers.natsUrl))
  context.teardown(() => connection.close())
  const jetstream = connection.jetstream()
  const manager = await connection.jetstreamManager()
  const name = `bench-${randomBytes(4).toString('hex')}`
  await manager.streams.add({ name, subjects: [`${name}.>`] })
  context.teardown(() => manager.streams.delete(name))
  return {
    name,
    async publish(messages) {
      for (let start = 0; start < messages.length; start += 500) {
        const some = messages.slice(start, start + 500)
        await Promise.all(
          some.map(({ name: event, bytes }) => jetstream.publish(subjectOf(name, event), bytes)),
        )
      }
    },
  }
}

/** The real service. */
export const startIngest = (
  context: BenchContext,
  databaseUrl: string,
  stream: BenchStream,
): Promise<StartedService> =>
  startService(
    context,
    'ingest',
    {
      DATABASE_URL: databaseUrl,
      REDIS_URL: context.servers.redisUrl,
      NATS_URL: context.servers.natsUrl,
      STREAM_NAME: stream.name,
      SUBJECT_PREFIX: stream.name,
      'ingest.batchSize': String(BATCH_SIZE),
      ENVIRONMENT: stream.name,
    },
    { keepLogs: false },
  )

export async function readHead(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ position: string }>('select position from stream_head')
  return Number(rows[0]!.position)
}

/** Resolves when so many events are stored. */
export const waitForHead = (pool: Pool, position: number, timeoutMs: number) =>
  waitFor(async () => (await readHead(pool)) >= position, {
    what: 'the backlog to be stored',
    timeoutMs,
    intervalMs: 20,
  })
