import { DEFAULT_PROGRAM_ID, subjectOf } from '@payment-tracking/contracts'
import { readMessage } from '@payment-tracking/domain'
import { commitBatch, openStore, type ReceivedMessage, type Store } from '@payment-tracking/store'
import { createDatabase, natsOptions, startService, waitFor } from '@payment-tracking/testkit'
import { connect } from 'nats'
import { inTurns, type Bench, type BenchContext } from './bench.js'
import { openFeed, type Feed } from './feed.js'

const BATCH_SIZE = 1000
const PROGRAM = { programId: DEFAULT_PROGRAM_ID, requireProgramId: false }

/** One payment in five has a webhook: those of every fifth gateway. */
async function addWebhooks(store: Store, feed: Feed): Promise<void> {
  const gateways = feed.gateways.filter((_, index) => index % 5 === 0)
  await store.prisma.webhook.createMany({
    data: gateways.map(gateway => ({
      gateway,
      endpointUrl: 'https://receiver.invalid/',
      secret: 'whsec_AAAA',
    })),
  })
}

/** The limit: the same statements over the same kind of messages, read beforehand and fed from memory. */
async function openMemoryFeed(context: BenchContext, messages: number) {
  const database = await createDatabase(context, { serverUrl: context.servers.databaseUrl })
  const store = openStore({ DATABASE_URL: database.url, poolSize: 2 })
  context.teardown(() => store.close())
  const feed = await openFeed('memory')
  await addWebhooks(store, feed)
  let sequence = 0
  return async (): Promise<number> => {
    const received: ReceivedMessage[] = []
    for (const { bytes } of await feed.next(messages)) {
      const read = await readMessage(bytes, PROGRAM)
      if (read.ok) received.push({ event: read.event, bytes, subject: '', streamSequence: ++sequence })
    }
    const startedAt = performance.now()
    for (let start = 0; start < received.length; start += BATCH_SIZE) {
      const batch = received.slice(start, start + BATCH_SIZE)
      await commitBatch(store, {
        stream: { name: 'BENCH', createdAt: new Date(0) },
        received: batch,
        refused: [],
      })
    }
    return (messages / (performance.now() - startedAt)) * 1000
  }
}

/** The subject: a backlog in JetStream, worked off by the real service, announcing and enqueuing included. */
async function openPipeline(context: BenchContext, messages: number) {
  const { servers } = context
  const database = await createDatabase(context, { serverUrl: servers.databaseUrl })
  const store = openStore({ DATABASE_URL: database.url, poolSize: 2 })
  context.teardown(() => store.close())
  const feed = await openFeed('stream')
  await addWebhooks(store, feed)
  const connection = await connect(natsOptions(servers.natsUrl))
  context.teardown(() => connection.close())
  const ingest = await startService(context, 'ingest', {
    DATABASE_URL: database.url,
    REDIS_URL: servers.redisUrl,
    NATS_URL: servers.natsUrl,
    STREAM_NAME: 'BENCH',
    SUBJECT_PREFIX: 'bench',
    BATCH_SIZE: String(BATCH_SIZE),
    LOG_LEVEL: 'info',
  })
  const jetstream = connection.jetstream()
  let published = 0n
  return async (): Promise<number> => {
    ingest.signal('SIGSTOP')
    const fresh = await feed.next(messages)
    for (let start = 0; start < fresh.length; start += 500) {
      await Promise.all(
        fresh
          .slice(start, start + 500)
          .map(({ name, bytes }) => jetstream.publish(subjectOf('bench', name), bytes)),
      )
    }
    published += BigInt(messages)
    const startedAt = performance.now()
    ingest.signal('SIGCONT')
    await waitFor(async () => (await store.prisma.streamHead.findFirstOrThrow()).position >= published, {
      what: 'the backlog to be stored',
      timeoutMs: 120_000,
      intervalMs: 20,
    })
    return (messages / (performance.now() - startedAt)) * 1000
  }
}

export const bench: Bench = {
  name: 'ingest',
  about:
    'JetStream → committed with projections, aggregates, seq and delivery rows; 90 % payments, 1 in 5 with a webhook',
  async run(context) {
    const messages = context.quick ? 2_000 : 30_000
    const pipeline = await openPipeline(context, messages)
    const memory = await openMemoryFeed(context, messages)
    const { subject, limit } = await inTurns(context.quick ? 1 : 5, pipeline, memory)
    return [
      {
        subject: `ingest, a backlog of ${messages} messages`,
        unit: 'events/s',
        largerIsBetter: true,
        measured: subject,
        limit: { name: 'the same statements fed from memory', measured: limit },
      },
    ]
  },
}
