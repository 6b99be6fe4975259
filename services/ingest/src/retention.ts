import { repeat, type Intake, type Logger, type Metrics, type RepeatedTask } from '@payment-tracking/runtime'
import { PRUNED_TABLES, pruneStep, type PrunedTable } from '@payment-tracking/store/ingest'
import { type Store } from '@payment-tracking/store/core'

export interface PrunerOptions {
  store: Store
  /** how long the rows of each kind are kept */
  days: { batchDays: number; deadLetterDays: number; apiKeyDays: number }
  everyMs: number
  pruned: ReturnType<Metrics['counter']>
  log: Logger
}

/** The most rows that one transaction looks at or removes, so that no other transaction waits long. */
const ROWS_A_STEP = 500
/** The most steps in one table per round: an old database is pruned over hours, not at once. */
const STEPS_A_ROUND = 100

/** Prunes every table in bounded steps, every `everyMs`. Of several replicas, one prunes at a time. */
export class Pruner implements Intake {
  readonly #rounds: RepeatedTask
  /** where the next round goes on in each table */
  readonly #keys = new Map<PrunedTable, string[] | null>()

  constructor(private readonly options: PrunerOptions) {
    this.#rounds = repeat({
      everyMs: options.everyMs,
      run: async stop => {
        for (const table of PRUNED_TABLES) await this.#pruneTable(table, stop)
      },
      onError: err => options.log.warn({ err }, 'retention.failed'),
    })
  }

  start = () => this.#rounds.start()
  stop = () => this.#rounds.stop()

  async #pruneTable(table: PrunedTable, stop: AbortSignal): Promise<void> {
    const { store, days, pruned, log } = this.options
    const limits = { ...days, limit: ROWS_A_STEP }
    let rows = 0
    for (let step = 0; step < STEPS_A_ROUND && !stop.aborted; step++) {
      const done = await pruneStep(store, table, { ...limits, after: this.#keys.get(table) ?? null })
      rows += done?.removed ?? 0
      // After the last row, the next round begins at the first row again.
      this.#keys.set(table, done?.next ?? null)
      if (done === null || done.next === null) break
    }
    if (rows === 0) return
    pruned.inc({ table }, rows)
    log.info({ table, rows }, 'retention.pruned')
  }
}
