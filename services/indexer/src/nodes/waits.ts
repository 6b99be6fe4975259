// What the chain is held up by: questions that nodes answer, and never with something usable. Each such wait has a bound. A
// node without any answer is no such wait: nothing is known about the chain then, and the indexer waits for the node.
import type { Logger } from '@payment-tracking/runtime'

/** A wait that lasts: what for, since when, and what the nodes say. */
export interface WaitReport {
  what: string
  reason: string
  since: Date
}

export interface Wait {
  /** Notes one more answer of no use. @returns whether the wait is over its bound */
  isOver(reason: string): boolean
  /** @param answered false when the bound ended the wait */
  end(answered: boolean): void
}

/** Shorter waits are usual: a node lists a transaction a moment before it can return it. */
const REPORTED_AFTER_MS = 5_000
/**
 * After a wait in vain, the next waits are this long, for `SHORT_FOR_MS`, or until one of them is answered: a node that
 * lost an hour of its history must not cost a minute for each transaction.
 */
const SHORT_WAIT_MS = 2_000
const SHORT_FOR_MS = 600_000

interface OpenWait extends WaitReport {
  startedAt: number
  boundMs: number
  reported: boolean
}

export class Waits {
  readonly #open = new Set<OpenWait>()
  #shortUntil = -Infinity

  /** @param patienceMs the bound of a wait */
  constructor(
    private readonly patienceMs: number,
    private readonly log: Pick<Logger, 'warn'>,
  ) {}

  /** @param patienceMs a shorter bound than usual */
  begin(what: string, patienceMs = this.patienceMs): Wait {
    const isShort = performance.now() < this.#shortUntil
    const boundMs = Math.min(patienceMs, isShort ? SHORT_WAIT_MS : Infinity)
    const startedAt = performance.now()
    const wait = { what, reason: '', since: new Date(), startedAt, boundMs, reported: false }
    this.#open.add(wait)
    return {
      isOver: reason => {
        wait.reason = reason
        const waitedMs = performance.now() - startedAt
        if (waitedMs >= REPORTED_AFTER_MS && !wait.reported) {
          wait.reported = true
          this.log.warn({ what, reason, boundMs }, 'indexer.waiting')
        }
        return waitedMs >= boundMs
      },
      end: answered => {
        this.#open.delete(wait)
        if (answered) this.#shortUntil = -Infinity
        else if (boundMs === this.patienceMs) this.#shortUntil = performance.now() + SHORT_FOR_MS
      },
    }
  }

  /** The longest wait; undefined when none lasts longer than usual. */
  longest(): WaitReport | undefined {
    const [first] = this.#open
    if (first === undefined || performance.now() - first.startedAt < REPORTED_AFTER_MS) return undefined
    const { what, reason, since } = first
    return { what, reason, since }
  }
}
