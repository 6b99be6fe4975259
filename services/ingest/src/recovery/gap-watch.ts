import type { StreamPosition } from '@payment-tracking/bus'
import { repeat, ServiceError, type Intake, type Logger, type RepeatedTask } from '@payment-tracking/runtime'
import { noteControlSubjects, recordStreamGap, type Store } from '@payment-tracking/store/core'
import { findMissedMessages, hasLostTail } from './find-missed-messages.js'

const CHECK_EVERY_MS = 5_000
const STOP_WITHIN_MS = 1_000

/** NATS acknowledged messages of the stream and has none of them. */
export class StreamLostMessagesError extends ServiceError {
  readonly code = 'STREAM_LOST_MESSAGES'
  readonly retry = 'later'

  constructor(stream: string, from: number, to: number) {
    super(
      `NATS acknowledged the messages ${from} to ${to} of ${stream} and has none of them, as nats-server 2.9 ` +
        'does when a stream is made while the one of its name is being deleted: publish them again',
    )
  }
}

/**
 * Checks whether the stream discarded unread messages, and records each gap in Postgres. Also checks whether the stream
 * takes control messages.
 */
export class GapWatch implements Intake {
  #before: StreamPosition | undefined
  #lost: StreamPosition | undefined
  readonly #checks: RepeatedTask

  constructor(
    private readonly store: Store,
    private readonly position: () => Promise<StreamPosition>,
    private readonly log: Logger,
    private readonly subjectPrefix: string,
  ) {
    this.#checks = repeat({
      everyMs: CHECK_EVERY_MS,
      // A server that is away answers late. The next check repeats what this one did not record.
      stopWithinMs: STOP_WITHIN_MS,
      run: async () => this.check(await this.position()),
      onError: err => log.debug({ err }, 'stream.check-failed'),
    })
  }

  start = () => this.#checks.start()
  stop = () => this.#checks.stop()

  /**
   * Compares a check of the stream with the previous check.
   * @throws StoreUnavailableError when a gap could not be recorded: the caller must repeat the same check
   */
  async check(now: StreamPosition): Promise<void> {
    const missed = findMissedMessages(now, this.#before)
    if (missed) {
      const isNew = await recordStreamGap(this.store, now.stream, missed)
      if (isNew) this.log.error({ stream: now.stream.name, ...missed }, 'stream.messages-discarded')
    }
    if (now.takesControls !== this.#before?.takesControls)
      await noteControlSubjects(this.store, now.takesControls)
    if (!now.takesControls && this.#before?.takesControls !== false) this.#warnOfControls(now)
    this.#lost = hasLostTail(now, this.#before) ? now : undefined
    this.#before = now
  }

  /** @throws StreamLostMessagesError while the server has none of the messages that it counts */
  checkLost(): void {
    if (!this.#lost) return
    const { stream, deliveredSequence, lastSequence } = this.#lost
    throw new StreamLostMessagesError(stream.name, deliveredSequence + 1, lastSequence)
  }

  /** Whether the stream takes control messages; null before the first check. */
  get takesControls(): boolean | null {
    return this.#before?.takesControls ?? null
  }

  #warnOfControls({ stream }: StreamPosition): void {
    const missing = `${this.subjectPrefix}.control.>`
    const cure = `nats stream edit ${stream.name} --subjects "${this.subjectPrefix}.>"`
    this.log.warn({ stream: stream.name, missing, cure }, 'stream.takes-no-control-messages')
  }
}
