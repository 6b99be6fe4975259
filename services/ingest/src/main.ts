import { INGEST_CONSUMER } from '@payment-tracking/contracts'
import { MOST_UNACKNOWLEDGED_BATCHES, openBus, type StreamState } from '@payment-tracking/bus'
import { openQueue } from '@payment-tracking/queue'
import {
  measurePool,
  realtimeRedisOf,
  runMain,
  waitAtMost,
  watchClock,
  type Intake,
} from '@payment-tracking/runtime'
import { checkRedis } from '@payment-tracking/runtime/redis'
import { buildHeadRecords, openRedis } from '@payment-tracking/redis'
import {
  countOpenStreamGaps,
  measureClockSkew,
  openStore,
  refuseOtherSessions,
  reportWhileRunning,
} from '@payment-tracking/store/core'
import {
  markReingested,
  moveReingest,
  readOldestOutboxSeconds,
  readWork,
} from '@payment-tracking/store/ingest'
import { ArchiveUnusableError } from './archive/archive-files.js'
import { openArchiveFiles } from './archive/open-archive-files.js'
import { Archiver, checkArchive, readArchiveDueSeconds } from './archive/archiver.js'
import { IngestConfig, programOf, streamOf } from './config.js'
import { DueAccountsAnswers } from './funds/due-accounts.js'
import { createIngestMetrics, measureIngest } from './ingest-metrics.js'
import { buildSinks } from './outbox-relay/build-sinks.js'
import { OutboxRelay } from './outbox-relay/outbox-relay.js'
import { Sweeper } from './outbox-relay/sweeper.js'
import { buildBatchHandler } from './pipeline/build-batch-handler.js'
import { DatabaseGuard } from './recovery/database-guard.js'
import { GapWatch } from './recovery/gap-watch.js'
import { TaskLoop } from './recovery/task-loop.js'
import { reingest } from './recovery/reingest.js'
import { TRANSACTIONS } from './pipeline/transactions.js'
import { Pruner } from './retention.js'
import { INGEST_TUNABLES } from './tunables.js'

/** How long the outbox relay may take at the end of a stop. The sweeper of another process relays the rest. */
const DRAIN_WITHIN_MS = 1_000
/** The part of the stop deadline in which connections are closed. Servers that are away take the longest. */
const STOP_RESERVE_MS = 5_000

await runMain(
  'ingest',
  IngestConfig,
  async ({ config, log, context, tracing, tunables }) => {
    await Promise.all([checkRedis(config), checkRedis(realtimeRedisOf(config))])
    // The pool closes last, so that the relay can still mark its last batches.
    const store = await context.own('store', () =>
      openStore({
        ...config,
        // One more for the transaction of a batch.
        poolSize: config.DATABASE_POOL_SIZE + 1,
        applicationName: 'ingest',
        // Without a limit, the check of the database would wait for a server that vanished in a failover, and ingest too.
        statementTimeoutMs: tunables.statementTimeoutMs,
      }),
    )
    const onError = (err: Error) => log.debug({ err }, 'redis.connection-error')
    const onUnsupported = (error: Error) => context.fail(error)
    const redis = await context.own('redis', () =>
      openRedis({ ...config, connectionName: 'ingest', onError, onUnsupported }),
    )
    const channel =
      config.REALTIME_REDIS_URL === undefined
        ? redis
        : await context.own('realtime-redis', () =>
            openRedis({ ...realtimeRedisOf(config), connectionName: 'ingest', onError, onUnsupported }),
          )
    const queue = await context.own('queue', () => openQueue({ ...config, onError }))
    const bus = await context.own('bus', () => openBus(config, `ingest ${config.ENVIRONMENT}`, log))
    measurePool(context.metrics, () => store.poolUse())
    await watchClock(context, () => measureClockSkew(store))
    await refuseOtherSessions(store)
    context.probe('postgres', () => store.ping())
    context.probe('redis', () => redis.ping())
    if (channel !== redis) context.probe('realtime-redis', () => channel.ping())
    context.probe('nats', () => bus.ping())

    const stream = streamOf(config)
    const sinks = buildSinks(channel, queue)
    const relay = await context.own('outbox-relay', () => {
      const opened = new OutboxRelay(store, sinks, log)
      return Object.assign(opened, { close: () => waitAtMost(DRAIN_WITHIN_MS, () => opened.drain()) })
    })
    const metrics = createIngestMetrics(context.metrics)
    const buildHandler = (guard: DatabaseGuard, { again }: { again: boolean }) =>
      buildBatchHandler({
        again,
        store,
        guard,
        relay,
        program: programOf(config),
        metrics,
        tracing,
        log,
      })
    const guard = new DatabaseGuard({
      store,
      records: buildHeadRecords(redis),
      metrics,
      log,
      reingestMargin: tunables.batchSize * MOST_UNACKNOWLEDGED_BATCHES,
      reingest: async (verifier, from, epoch) => {
        const handle = buildHandler(verifier, { again: true })
        let next = from
        // A progress that is not recorded only makes the next reader read more.
        const onProgress = async (streamSequence: number, { createdAt }: StreamState) => {
          const after = { createdAt, sequence: BigInt(streamSequence + 1) }
          if (await moveReingest(store, epoch, next, after).catch(() => false)) next = after
        }
        const { batchSize } = tunables
        await reingest(Number(from.sequence), {
          ofStream: from.createdAt,
          bus,
          handle,
          stream,
          batchSize,
          log,
          signal: context.signal,
          onProgress,
        })
        if (!context.signal.aborted) await markReingested(store, epoch)
      },
    })
    const gapWatch = new GapWatch(
      store,
      () => bus.position({ ...stream, consumerName: INGEST_CONSUMER }),
      log,
      config.SUBJECT_PREFIX,
    )
    const consumer = bus.consume(
      {
        ...stream,
        ...TRANSACTIONS,
        consumerName: INGEST_CONSUMER,
        batchSize: tunables.batchSize,
        ackWaitMs: tunables.ackWaitMs,
        traced: tracing !== undefined,
        onOpened: position => gapWatch.check(position),
      },
      buildHandler(guard, { again: false }),
    )
    reportWhileRunning(context, store, {
      service: 'ingest',
      log,
      work: 'ingest_batch_messages',
      waitingSeconds: async () => (await consumer.measureLag())?.oldestSeconds ?? null,
    })
    const { EVENTS_RETENTION_MONTHS: months, EVENTS_ARCHIVE: archive } = config
    measureIngest(context.metrics, {
      archiveDueSeconds: () => readArchiveDueSeconds(store, months),
      lag: () => consumer.measureLag(),
      consuming: () => consumer.checkConsuming(),
      openGaps: () => countOpenStreamGaps(store),
      takesControls: () => gapWatch.takesControls,
      outboxSeconds: () => readOldestOutboxSeconds(store),
      work: () => readWork(store),
    })
    context.probe('stream', async () => {
      await consumer.checkConsuming()
      gapWatch.checkLost()
    })
    // While Postgres does not answer, a batch has no end. The process stops without it: its messages are not acknowledged,
    // so another process gets them.
    const stopWithinMs = Math.max(1_000, config.STOP_DEADLINE_MS - STOP_RESERVE_MS)
    const takeIn = (name: string, intake: Intake) =>
      context.intake(name, {
        start: () => intake.start(),
        stop: () => waitAtMost(stopWithinMs, () => intake.stop()),
      })
    takeIn('database', guard)
    takeIn('stream', consumer)
    takeIn('gaps', gapWatch)
    takeIn('tasks', new TaskLoop({ store, guard, relay, programId: config.PROGRAM_ID, log }))
    takeIn('due-accounts', new DueAccountsAnswers(store, bus, config.STREAM_NAME, log))
    takeIn('sweeper', new Sweeper(store, sinks, tunables.sweepEveryMs, log))
    if (months > 0) {
      if (archive === undefined)
        throw new ArchiveUnusableError(
          'EVENTS_RETENTION_MONTHS is set and EVENTS_ARCHIVE is not: name the directory of archived months, or s3://bucket/folder',
        )
      const files = await openArchiveFiles(archive)
      await checkArchive(store, files)
      takeIn(
        'archive',
        new Archiver({
          store,
          files,
          months,
          folder: config.ENVIRONMENT,
          guard,
          log,
          everyMs: tunables.archiveEveryMs,
          settledSeconds: tunables.archiveSettledSeconds,
          eventsAPart: tunables.archiveEventsAPart,
        }),
      )
    }
    const { prunedRows: pruned } = metrics
    takeIn(
      'retention',
      new Pruner({
        store,
        days: {
          batchDays: tunables.batchRetentionDays,
          deadLetterDays: config.DEAD_LETTER_RETENTION_DAYS,
          apiKeyDays: tunables.apiKeyRetentionDays,
        },
        everyMs: tunables.retentionEveryMs,
        pruned,
        log,
      }),
    )
  },
  INGEST_TUNABLES,
)
