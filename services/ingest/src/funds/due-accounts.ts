// Answers the indexer's question which token accounts due payments need.
import type { Bus } from '@payment-tracking/bus'
import { dueAccountsSubjectOf, readDueQuestion } from '@payment-tracking/contracts'
import type { Intake, Logger } from '@payment-tracking/runtime'
import { listDueAccounts } from '@payment-tracking/store/ingest'
import { type Store } from '@payment-tracking/store/core'

export class DueAccountsAnswers implements Intake {
  #answering: ReturnType<Bus['answer']> | undefined

  constructor(
    private readonly store: Store,
    private readonly bus: Pick<Bus, 'answer'>,
    private readonly stream: string,
    private readonly log: Logger,
  ) {}

  start(): void {
    this.#answering ??= this.bus.answer(
      dueAccountsSubjectOf(this.stream),
      bytes => this.#answer(bytes),
      err => this.log.warn({ err }, 'due-accounts.failed'),
    )
  }

  stop = async (): Promise<void> => this.#answering?.stop()

  async #answer(bytes: Uint8Array): Promise<Uint8Array> {
    const question = readDueQuestion(bytes)
    if (question === undefined) throw new TypeError('this is no question for due accounts')
    return Buffer.from(JSON.stringify(await listDueAccounts(this.store, question.after)))
  }
}
