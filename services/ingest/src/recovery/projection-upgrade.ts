// After an upgrade, ingest projects the rows of earlier releases again by its own rules: page by page, beside live
// messages.
import type { Intake, Logger } from '@payment-tracking/runtime'
import { upgradeProjections, type Store } from '@payment-tracking/store'
import type { DatabaseGuard } from './database-guard.js'
import { PageSizer } from './page-sizer.js'

export interface ProjectionUpgradeOptions {
  store: Store
  guard: Pick<DatabaseGuard, 'server'>
  programId: string
  /** how many messages of the stream may have been stored out of their stream order */
  reingestMargin: number
  log: Logger
}

/** How often ingest checks whether a previous release that still runs has written since. */
const CHECK_EVERY_MS = 5_000
const PROGRESS_EVERY_MS = 2_000

export class ProjectionUpgrade implements Intake {
  readonly #options: ProjectionUpgradeOptions
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> = Promise.resolve()
  #stopping = false

  constructor(options: ProjectionUpgradeOptions) {
    this.#options = options
  }

  start(): void {
    this.#schedule(0)
  }

  async stop(): Promise<void> {
    this.#stopping = true
    clearTimeout(this.#timer)
    await this.#running
  }

  #schedule(delayMs: number): void {
    if (this.#stopping) return
    this.#timer = setTimeout(() => {
      this.#running = this.#run()
        .catch((err: unknown) => this.#options.log.warn({ err }, 'projection-upgrade.failed'))
        .finally(() => this.#schedule(CHECK_EVERY_MS))
    }, delayMs)
  }

  /** Works page by page until nothing is left. After each page, live messages get as much time as the page took. */
  async #run(): Promise<void> {
    const { store, guard, log, programId, reingestMargin } = this.#options
    let saidAt = -Infinity
    const sizer = new PageSizer()
    while (!this.#stopping) {
      const startedAt = performance.now()
      const server = await guard.server()
      const pageShare = sizer.share
      const progress = await upgradeProjections(store, { programId, reingestMargin, server, pageShare })
      if (progress === null) return
      const ms = performance.now() - startedAt
      sizer.record(ms)
      const { step, handled } = progress
      if (step === null) {
        if (handled > 0) log.info({ rows: handled }, 'projection-upgrade.done')
        return
      }
      if (performance.now() - saidAt > PROGRESS_EVERY_MS) {
        saidAt = performance.now()
        log.info({ step, rows: handled }, 'projection-upgrade.goes-on')
      }
      await new Promise(resolve => setTimeout(resolve, ms))
    }
  }
}
