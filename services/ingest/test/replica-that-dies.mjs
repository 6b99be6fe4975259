// An ingest replica of the real parts that is killed at the worst moment: its transaction has committed, but nothing is
// acknowledged, announced or enqueued yet. kill.test.ts runs it with the service's own settings.
import { openBus } from '@payment-tracking/bus'
import { INGEST_CONSUMER } from '@payment-tracking/contracts'
import { createLogger, createMetrics, readConfig } from '@payment-tracking/runtime'
import { openStore } from '@payment-tracking/store'
import { buildBatchHandler } from '../dist/pipeline/build-batch-handler.js'
import { IngestConfig, streamOf } from '../dist/config.js'
import { createIngestMetrics } from '../dist/ingest-metrics.js'

const config = readConfig(IngestConfig, process.env)
const log = createLogger('ingest', config)
const bus = await openBus(config, 'replica that dies', log)
const handle = buildBatchHandler({
  store: openStore(config),
  relay: { start: () => process.kill(process.pid, 'SIGKILL') },
  guard: { serverRun: async () => undefined, doubt: () => {}, keep: async () => {} },
  program: {
    programId: config.PROGRAM_ID,
    requireProgramId: config.REQUIRE_PROGRAM_ID,
    subjectPrefix: config.SUBJECT_PREFIX,
  },
  metrics: createIngestMetrics(createMetrics()),
  log,
})
await bus
  .consume({ ...streamOf(config), consumerName: INGEST_CONSUMER, batchSize: 100, ackWaitMs: 1_000 }, handle)
  .start()
