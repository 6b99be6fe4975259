// Does the work that messages left behind: what follows from one message for many rows, page by page beside live messages.
import type { Intake, Logger } from '@payment-tracking/runtime'
import { beginNewRules, PageSizer, refoldPage, type CommittedNews, type Store } from '@payment-tracking/store'
import type { DatabaseGuard } from './database-guard.js'

export interface RefoldLoopOptions {
  store: Store
  guard: Pick<DatabaseGuard, 'server'>
  relay: { start(news: readonly CommittedNews[]): void }
  programId: string
  log: Logger
}

/** How often ingest looks for work while there is none. */
const LOOK_EVERY_MS = 500
const PROGRESS_EVERY_MS = 2_000

export class RefoldLoop implements Intake {
  readonly #options: RefoldLoopOptions
  readonly #sizer = new PageSizer()
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> = Promise.resolve()
  #followsRules = false
  #stopping = false

  constructor(options: RefoldLoopOptions) {
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
        .catch((err: unknown) => this.#options.log.warn({ err }, 'refold.failed'))
        .finally(() => this.#schedule(LOOK_EVERY_MS))
    }, delayMs)
  }

  /** Works page by page until nothing is left. After each page, live messages get as much time as the page took. */
  async #run(): Promise<void> {
    const { store, guard, relay, programId, log } = this.#options
    if (!this.#followsRules) {
      if (await beginNewRules(store, await guard.server())) log.info('refold.new-rules')
      this.#followsRules = true
    }
    let saidAt = performance.now()
    for (let pages = 1; !this.#stopping; pages++) {
      const startedAt = performance.now()
      const page = await refoldPage(store, { programId, sizer: this.#sizer, server: await guard.server() })
      if (page === null) return
      relay.start([page])
      const endedAt = performance.now()
      if (endedAt - saidAt > PROGRESS_EVERY_MS) {
        saidAt = endedAt
        log.info({ kind: page.kind, pages }, 'refold.goes-on')
      }
      await new Promise(resolve => setTimeout(resolve, endedAt - startedAt))
    }
  }
}
