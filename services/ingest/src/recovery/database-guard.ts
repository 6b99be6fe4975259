// Checks that the database is still the database that ingest wrote to.
//
//   unverified --verify--> verified --another run of the server, another epoch, a failed write--> unverified
//
// Ingest writes nothing while unverified: `commitBatch` compares the run of the server in its transaction. After a
// change of the epoch, the other services notify their clients, and ingest reads the lost messages again from the stream.
import { repeat, type Intake, type Logger, type RepeatedTask } from '@payment-tracking/runtime'
import type { HeadRecords } from '@payment-tracking/redis'
import { readHeadNow, verifyDatabase, type VerifiedDatabase } from '@payment-tracking/store/ingest'
import { type Store, type StreamPlace } from '@payment-tracking/store/core'
import type { IngestMetrics } from '../ingest-metrics.js'

export interface DatabaseGuardOptions {
  store: Store
  records: HeadRecords
  metrics: Pick<IngestMetrics, 'epochChanges'>
  log: Logger
  /** how many messages before the last stored message may have been committed after it */
  reingestMargin: number
  /** reads the stream again; the guard calls it for one change at a time */
  reingest: (guard: DatabaseGuard, from: StreamPlace, epoch: string) => Promise<void>
}

/** While no message comes, the guard notices a replaced database within this time. */
const CHECK_EVERY_MS = 2_000
const STOP_WITHIN_MS = 1_000

export class DatabaseGuard implements Intake {
  readonly #options: DatabaseGuardOptions
  #verified: VerifiedDatabase | undefined
  #verifying: Promise<VerifiedDatabase> | undefined
  #reingesting: string | undefined
  readonly #checks: RepeatedTask
  #stopping = false

  constructor(options: DatabaseGuardOptions) {
    this.#options = options
    this.#checks = repeat({
      everyMs: CHECK_EVERY_MS,
      firstAfterMs: 0,
      // A server that is away answers late. A check that ends halfway changes nothing.
      stopWithinMs: STOP_WITHIN_MS,
      run: () => this.#check(),
      onError: err => options.log.warn({ err }, 'database.check-failed'),
    })
  }

  start = () => this.#checks.start()

  stop(): Promise<void> {
    this.#stopping = true
    return this.#checks.stop()
  }

  /** The run of the server that ingest may write to. @throws StoreUnavailableError while the run cannot be verified */
  async serverRun(): Promise<string> {
    return (this.#verified ?? (await this.#verify())).serverRun
  }

  /** Makes the next call of `serverRun` verify again. */
  doubt(): void {
    this.#verified = undefined
  }

  /** Records outside of Postgres how far ingest has written. If a record fails, the next record replaces it. */
  async keep(position: bigint): Promise<void> {
    const { records, log } = this.#options
    const verified = this.#verified
    if (!verified) return
    const { epochNumber, epoch, lineage } = verified
    await records.write(lineage, { epochNumber, epoch, position }).catch((err: unknown) => {
      log.debug({ err }, 'database.record-not-written')
    })
  }

  #verify(): Promise<VerifiedDatabase> {
    const { store, records, reingestMargin, log, metrics } = this.#options
    const readRecord = (lineage: string) =>
      records.read(lineage).catch((err: unknown) => {
        log.warn({ err }, 'database.record-not-read')
        throw err
      })
    this.#verifying ??= verifyDatabase(store, { readRecord, reingestMargin })
      .then(verified => {
        this.#verified = verified
        const { change, epoch, epochNumber, position, reingestFrom } = verified
        if (change !== null) {
          metrics.epochChanges.inc()
          log.error({ change, epoch, epochNumber, position, reingestFrom }, 'database.lost-commits')
        }
        this.#beginReingest(verified)
        return verified
      })
      .finally(() => (this.#verifying = undefined))
    return this.#verifying
  }

  /**
   * Any replica may read the missing messages again: the replica that noticed the loss may die before it has finished.
   */
  #beginReingest({ epoch, reingestFrom }: Pick<VerifiedDatabase, 'epoch' | 'reingestFrom'>): void {
    if (reingestFrom === null || this.#reingesting === epoch || this.#stopping) return
    this.#reingesting = epoch
    const { reingest, log } = this.#options
    reingest(this, reingestFrom, epoch)
      .catch((err: unknown) => log.error({ err }, 'reingest.failed'))
      .finally(() => (this.#reingesting = undefined))
  }

  async #check(): Promise<void> {
    const verified = this.#verified ?? (await this.#verify())
    const head = await readHeadNow(this.#options.store)
    if (head.serverRun !== verified.serverRun || head.epoch !== verified.epoch) {
      this.doubt()
      await this.#verify()
      return
    }
    this.#beginReingest(head)
    await this.keep(head.position)
  }
}
