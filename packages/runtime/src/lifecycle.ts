// A process from start to exit: starting → ready → stopping → stopped. What is opened is released in reverse, also
// when opening fails midway. Intake stops first. Stopping twice has the effect of stopping once.
import type { Logger } from './logger.js'
import { openManagement, type Probe } from './management.js'
import type { Metrics } from './metrics.js'
import { createMetrics } from './metrics.js'

export interface Closable {
  close(): Promise<void> | void
}

/** Something that takes in work. `stop` takes no more and resolves when the work in progress is done. */
export interface Intake {
  start(): Promise<void> | void
  stop(): Promise<void>
}

export interface ServiceContext {
  readonly metrics: Metrics
  /** Aborted when the process stops, to end long waits. */
  readonly signal: AbortSignal
  /** Opens something and owns it: it is closed at the end, after everything opened later. */
  own<T extends Closable>(name: string, open: () => Promise<T> | T): Promise<T>
  /** Registers intake: started when everything is open, stopped first. */
  intake(name: string, intake: Intake): void
  /** A line of `/readyz`: resolves when the dependency answers, rejects with the reason otherwise. */
  probe(name: string, probe: Probe): void
  /** Stops in order and exits with code 1, for faults that only a restart can mend. */
  fail(reason: Error): void
}

export interface RunConfig {
  MANAGEMENT_HOST: string
  MANAGEMENT_PORT: number
  STOP_DEADLINE_MS: number
}

/**
 * Runs a service from start to exit. Only this function handles signals and exits the process.
 * SIGTERM and SIGINT: unready, stop intake, finish the work in progress until STOP_DEADLINE_MS, release in
 * reverse, exit 0 (1 when the deadline passed or something failed). A second signal exits at once.
 * @param build opens what the service needs and registers its intake; building starts nothing
 */
export async function runService(
  log: Logger,
  config: RunConfig,
  build: (context: ServiceContext) => Promise<void>,
): Promise<void> {
  const owned: { name: string; thing: Closable }[] = []
  const intakes: { name: string; intake: Intake }[] = []
  const probes = new Map<string, Probe>()
  const metrics = createMetrics()
  const abort = new AbortController()
  let ready = false
  let stopping: Promise<void> | undefined

  const release = async (): Promise<boolean> => {
    let clean = true
    for (const { name, thing } of owned.splice(0).reverse()) {
      try {
        await thing.close()
      } catch (err) {
        clean = false
        log.error({ err, part: name }, 'service.release-failed')
      }
    }
    return clean
  }

  const stop = (reason: string, exitCode: number): Promise<void> => {
    stopping ??= (async () => {
      ready = false
      log.info({ reason }, 'service.stopping')
      const deadline = setTimeout(() => {
        log.error({ deadlineMs: config.STOP_DEADLINE_MS }, 'service.stop-deadline-passed')
        process.exit(1)
      }, config.STOP_DEADLINE_MS)
      abort.abort()
      const stops = await Promise.allSettled(intakes.map(({ intake }) => intake.stop()))
      for (const result of stops) {
        if (result.status === 'rejected')
          log.error({ err: result.reason as unknown }, 'service.intake-stop-failed')
      }
      const clean = (await release()) && stops.every(result => result.status === 'fulfilled')
      clearTimeout(deadline)
      log.info({ reason }, 'service.stopped')
      log.flush()
      process.exit(clean ? exitCode : 1)
    })()
    return stopping
  }

  const onSignal = (signal: NodeJS.Signals) => {
    if (stopping) process.exit(1)
    void stop(signal, 0)
  }
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
  const onFatal = (err: unknown) => {
    log.fatal({ err }, 'service.crashed')
    if (stopping) process.exit(1)
    void stop('crash', 1)
  }
  process.on('uncaughtException', onFatal)
  process.on('unhandledRejection', onFatal)

  const context: ServiceContext = {
    metrics,
    signal: abort.signal,
    async own(name, open) {
      const thing = await open()
      owned.push({ name, thing })
      return thing
    },
    intake(name, intake) {
      intakes.push({ name, intake })
    },
    probe(name, probe) {
      probes.set(name, probe)
    },
    fail(err) {
      log.fatal({ err }, 'service.failed')
      void stop('failure', 1)
    },
  }

  try {
    const management = await context.own('management', () =>
      openManagement({ config, probes, metrics, isReady: () => ready }),
    )
    await build(context)
    for (const { intake } of intakes) await intake.start()
    if (!abort.signal.aborted) {
      ready = true
      log.info({ managementPort: management.port }, 'service.ready')
    }
  } catch (err) {
    log.fatal({ err }, 'service.start-failed')
    await stop('start-failed', 1)
  }
}
