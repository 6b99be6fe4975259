// A process tells operators that it runs and works. The report leaves from the process's own event loop: a process that is frozen
// sends none.
import { hostname } from 'node:os'
import { repeat, VERSION, waitAtMost, type Logger, type ServiceContext } from '@payment-tracking/runtime'
import type { Store } from '../database/sql.js'
import type { Lead } from './lead.js'
import { forgetProcess, reportProcess } from './process-rows.js'

const EVERY_MS = 3_000
/** A server that is away does not keep a report back for longer. */
const PATIENCE_MS = 2_000

export interface Reporting {
  service: string
  log: Logger
  /** the metric, without its prefix, that counts what the process finishes */
  work?: string
  /** for how long the oldest message that is not stored has waited */
  waitingSeconds?: () => Promise<number | null>
  /** hears whether the process leads */
  lead?: Lead
}

/** Reports the process every 3 s while it takes in work. */
export function reportWhileRunning(
  context: Pick<ServiceContext, 'intake' | 'metrics'>,
  store: Store,
  { service, log, work, waitingSeconds, lead }: Reporting,
): void {
  const replica = `${hostname()}/${process.pid}`
  let finished = 0
  let workedAt: number | null = null
  const report = async () => {
    const now = await countFinished(context.metrics, work)
    if (now !== finished) workedAt = performance.now()
    finished = now
    let waits: number | null = null
    const askWaiting = async () => void (waits = (await waitingSeconds?.().catch(() => null)) ?? null)
    await waitAtMost(PATIENCE_MS, askWaiting)
    const reportedAt = performance.now()
    const leads = await reportProcess(store, {
      service,
      replica,
      version: VERSION,
      startedMsAgo: process.uptime() * 1_000,
      workedMsAgo: workedAt === null ? null : performance.now() - workedAt,
      waitingSeconds: waits,
    })
    lead?.note(leads, reportedAt)
  }
  const reports = repeat({
    everyMs: EVERY_MS,
    firstAfterMs: 0,
    run: report,
    onError: err => log.debug({ err }, 'process.not-reported'),
  })
  context.intake('report', {
    start: () => reports.start(),
    stop: () =>
      waitAtMost(PATIENCE_MS, async () => {
        await reports.stop()
        await forgetProcess(store, { service, replica }).catch(() => {})
      }),
  })
}

/** The sum of a counter over its labels; of a histogram, how many values it has. */
async function countFinished(
  { registry }: ServiceContext['metrics'],
  work: string | undefined,
): Promise<number> {
  const name = `payment_tracking_${work}`
  const metric = work === undefined ? undefined : await registry.getSingleMetric(name)?.get()
  const values: readonly { value: number; metricName?: string }[] = metric?.values ?? []
  return values
    .filter(({ metricName = name }) => metricName === name || metricName === `${name}_count`)
    .reduce((sum, { value }) => sum + value, 0)
}
