// Does the work that messages left: what follows from one message for many rows, page by page beside live messages.
import { repeat, type Intake, type Logger, type RepeatedTask } from '@payment-tracking/runtime'
import { beginNewRules, runTaskPage, type CommittedChanges } from '@payment-tracking/store/ingest'
import { pageByPage, PageSizer, WorkOrder, type Store } from '@payment-tracking/store/core'
import type { DatabaseGuard } from './database-guard.js'

export interface TaskLoopOptions {
  store: Store
  guard: Pick<DatabaseGuard, 'serverRun'>
  relay: { start(changes: readonly CommittedChanges[]): void }
  programId: string
  log: Logger
}

/** How often ingest looks for work while there is none. */
const CHECK_EVERY_MS = 500
const PROGRESS_EVERY_MS = 2_000

export class TaskLoop implements Intake {
  readonly #options: TaskLoopOptions
  readonly #sizer = new PageSizer()
  readonly #order = new WorkOrder()
  readonly #checks: RepeatedTask
  #followsRules = false

  constructor(options: TaskLoopOptions) {
    this.#options = options
    this.#checks = repeat({
      everyMs: CHECK_EVERY_MS,
      firstAfterMs: 0,
      run: stop => this.#run(stop),
      onError: err => options.log.warn({ err }, 'tasks.failed'),
    })
  }

  start = () => this.#checks.start()
  stop = () => this.#checks.stop()

  /** Works page by page until nothing is left. */
  async #run(stop: AbortSignal): Promise<void> {
    const { store, guard, relay, programId, log } = this.#options
    if (!this.#followsRules) {
      if (await beginNewRules(store, await guard.serverRun())) log.info('tasks.new-rules')
      this.#followsRules = true
    }
    let saidAt = performance.now()
    let pages = 0
    await pageByPage(stop, async () => {
      const done = await runTaskPage(store, {
        programId,
        sizer: this.#sizer,
        order: this.#order,
        serverRun: await guard.serverRun(),
      })
      const [page] = done
      if (page === undefined) return false
      relay.start(done)
      pages += 1
      if (performance.now() - saidAt > PROGRESS_EVERY_MS) {
        saidAt = performance.now()
        log.info({ kind: page.kind, pages }, 'tasks.progress')
      }
      return true
    })
  }
}
