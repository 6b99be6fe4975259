// Calls the nodes in turn. A failed node backs off, longer after each failure. The next node gets the call, and the call
// waits while all nodes back off. Only a call with a bound ends without an answer (see waits.ts).
import type { Logger } from '@payment-tracking/runtime'
import { setTimeout as sleep } from 'node:timers/promises'
import { NodeError, type NodeFault } from './node-error.js'
import type { ChainNode } from './open-node.js'
import { Waits, type Wait } from './waits.js'

interface Member {
  node: ChainNode
  failures: number
  backsOffUntil: number
  /** the last reported fault; one line for each change, not for each request */
  reported: NodeFault | undefined
  /** until this time, a comparison does not wait for the node, because the last wait was in vain */
  notComparedUntil: number
}

const FIRST_BACKOFF_MS = 250
const LONGEST_BACKOFF_MS = 15_000
/** A node that limits the rate may name a time to wait, of a day if it likes. */
const LONGEST_RETRY_AFTER_MS = 60_000
/** The bound of a question whose answers are of no use, where the settings name no other. */
const PATIENCE_MS = 60_000
const FIRST_WAIT_MS = 40
const LONGEST_WAIT_MS = 1_000
/** After a wait in vain, comparisons do not wait for the node during this time. */
const NOT_COMPARED_MS = 10_000

/** The message and the cure of each fault. */
const CURES: Record<NodeFault, string> = {
  down: 'it does not answer; check its address and key',
  'rate-limited': 'it limits the rate; lower INDEXER_CONCURRENCY, or name another node or plan',
  behind: 'it is behind the others; it is asked again later',
  'not-ready': 'it lists a transaction that it does not hold yet; it is asked again later',
  unfit: 'it keeps no logs, leaves out parts of transactions, or belongs to another chain; name another node',
  wrong: 'its answers contradict each other, or are no answers of a Solana node; name another node',
}

interface Patience {
  /** gives up after this time */
  patienceMs?: number
  /**
   * Gives up when nodes have answered for this long, and never with something usable; when every node is unfit, at once.
   * Waits without limit while no node answers. `what` names the question for people.
   */
  bound?: { what: string; patienceMs?: number }
}

export class NodePool {
  readonly #members: Member[]
  #turn = 0

  constructor(
    nodes: readonly ChainNode[],
    private readonly log: Logger,
    private readonly signal: AbortSignal,
    readonly waits: Waits = new Waits(PATIENCE_MS, log),
  ) {
    this.#members = nodes.map(node => ({
      node,
      failures: 0,
      backsOffUntil: 0,
      reported: undefined,
      notComparedUntil: 0,
    }))
  }

  get size(): number {
    return this.#members.length
  }

  get nodes(): readonly ChainNode[] {
    return this.#members.map(({ node }) => node)
  }

  /** The next node, in turn, that is not backing off. */
  #next(except?: ReadonlySet<ChainNode>): Member | undefined {
    const now = performance.now()
    for (let step = 0; step < this.#members.length; step++) {
      const member = this.#members[this.#turn++ % this.#members.length]!
      if (member.backsOffUntil <= now && !except?.has(member.node)) return member
    }
    return undefined
  }

  /**
   * Calls one node after the other until one gives a usable answer.
   * @param question throws NodeError when the answer is unusable
   * @throws AbortError when the service stops or loses its lease
   * @throws NodeError the last failure, when the patience ends
   */
  async ask<T>(question: (node: ChainNode) => Promise<T>, patience: Patience = {}): Promise<T> {
    return (await this.askOne(question, patience)).answer
  }

  /** Like `ask`, and also returns the node that answered. */
  async askOne<T>(
    question: (node: ChainNode) => Promise<T>,
    { patienceMs = Infinity, bound }: Patience = {},
  ): Promise<{ node: ChainNode; answer: T }> {
    const deadline = performance.now() + patienceMs
    const unfit = new Set<ChainNode>()
    let wait: Wait | undefined
    let last: NodeError | undefined
    let isAnswered = false
    try {
      for (let attempt = 0; ; attempt++) {
        this.signal.throwIfAborted()
        const member = this.#next(unfit)
        if (member === undefined) {
          const backoffMs = this.#backoffMs(unfit)
          if (performance.now() + backoffMs > deadline)
            throw last ?? new NodeError('down', 'every node backs off')
          await sleep(Math.max(1, backoffMs), undefined, { signal: this.signal })
          continue
        }
        try {
          const answer = await question(member.node)
          this.#succeeded(member)
          isAnswered = true
          return { node: member.node, answer }
        } catch (error) {
          if (!(error instanceof NodeError)) throw error
          last = error
          this.#failed(member, error)
          if (performance.now() > deadline) throw error
          if (bound && (await this.#isOfTheQuestion(member, error))) {
            if (error.fault === 'unfit') unfit.add(member.node)
            wait ??= this.waits.begin(bound.what, bound.patienceMs)
            const isOver = wait.isOver(error.message) && attempt + 1 >= this.#members.length
            if (isOver || unfit.size === this.#members.length) throw error
          }
          if (error.fault === 'not-ready' && (attempt + 1) % this.#members.length === 0)
            await this.#pause(attempt)
        }
      }
    } finally {
      wait?.end(isAnswered || unfit.size === this.#members.length)
    }
  }

  /** Whether a failure says something about the question: the node answers others, or this one without use. */
  async #isOfTheQuestion({ node }: Member, { fault }: NodeError): Promise<boolean> {
    if (fault !== 'down') return fault === 'not-ready' || fault === 'unfit' || fault === 'wrong'
    return node.slot('finalized').then(
      () => true,
      () => false,
    )
  }

  /** How long until one of the other nodes may be called. */
  #backoffMs(except: ReadonlySet<ChainNode>): number {
    const others = this.#members.filter(({ node }) => !except.has(node))
    return Math.min(...others.map(({ backsOffUntil }) => backsOffUntil)) - performance.now()
  }

  #pause(attempt: number): Promise<void> {
    const waitMs = Math.min(FIRST_WAIT_MS * 2 ** Math.min(attempt, 10), LONGEST_WAIT_MS)
    return sleep(waitMs, undefined, { signal: this.signal })
  }

  /**
   * Calls one more node to compare its answer. Repeats the call for a while if the node is not ready. Does not wait for
   * a node that backs off.
   * @returns undefined when no other node answers
   */
  async askOther<T>(
    question: (node: ChainNode) => Promise<T>,
    asked: ReadonlySet<ChainNode>,
    patienceMs: number,
  ): Promise<{ node: ChainNode; answer: T } | undefined> {
    const deadline = performance.now() + patienceMs
    for (let attempt = 0; ; attempt++) {
      const tried = new Set(asked)
      let isWorthWaiting = false
      for (let member = this.#next(tried); member; member = this.#next(tried)) {
        tried.add(member.node)
        try {
          const answer = await question(member.node)
          this.#succeeded(member)
          return { node: member.node, answer }
        } catch (error) {
          if (!(error instanceof NodeError)) throw error
          this.#failed(member, error)
          if (error.fault !== 'not-ready' || member.notComparedUntil > performance.now()) continue
          if (performance.now() < deadline) isWorthWaiting = true
          else member.notComparedUntil = performance.now() + NOT_COMPARED_MS
        }
      }
      if (!isWorthWaiting) return undefined
      await this.#pause(attempt)
    }
  }

  /**
   * Calls every node that is not backing off, each once and all at the same time.
   * @param limit calls at most this many
   * @returns the usable answers, in any order
   */
  async askAll<T>(
    question: (node: ChainNode) => Promise<T>,
    { except, limit = Infinity }: { except?: ReadonlySet<ChainNode>; limit?: number } = {},
  ): Promise<{ node: ChainNode; answer: T }[]> {
    const asked = new Set(except)
    const answers: Promise<{ node: ChainNode; answer: T } | undefined>[] = []
    for (let member = this.#next(asked); member && answers.length < limit; member = this.#next(asked)) {
      const each = member
      asked.add(each.node)
      answers.push(
        question(each.node).then(
          answer => {
            this.#succeeded(each)
            return { node: each.node, answer }
          },
          (error: unknown) => {
            if (!(error instanceof NodeError)) throw error
            this.#failed(each, error)
            return undefined
          },
        ),
      )
    }
    return (await Promise.all(answers)).filter(each => each !== undefined)
  }

  /**
   * Calls every node, and nodes that back off after their wait.
   * @param patienceMs how long to wait for a failing node
   * @returns the answers that came
   */
  async askEvery<T>(question: (node: ChainNode) => Promise<T>, patienceMs: number): Promise<T[]> {
    const answers: T[] = []
    const answered = new Set<ChainNode>()
    const deadline = performance.now() + patienceMs
    while (answered.size < this.#members.length) {
      for (const { node, answer } of await this.askAll(question, { except: answered })) {
        answered.add(node)
        answers.push(answer)
      }
      if (performance.now() >= deadline) break
      if (answered.size < this.#members.length)
        await sleep(FIRST_BACKOFF_MS, undefined, { signal: this.signal })
    }
    return answers
  }

  #succeeded(member: Member): void {
    member.failures = 0
    if (member.reported === undefined) return
    member.reported = undefined
    this.log.info({ node: member.node.name }, 'indexer.node-recovered')
  }

  #failed(member: Member, error: NodeError): void {
    // The end of the lease ends the connections: no fault of the node.
    if (this.signal.aborted) return
    // A transaction that is not there yet is no reason to let the node back off.
    if (error.fault !== 'not-ready') {
      const now = performance.now()
      let backoffMs = Math.min(error.retryAfterMs, LONGEST_RETRY_AFTER_MS)
      // A call that began before the rest can fail during the rest. Such a failure is not counted: after ten counted failures a
      // node backs off for 15 s.
      if (member.backsOffUntil <= now) {
        const growingMs = Math.min(FIRST_BACKOFF_MS * 2 ** member.failures, LONGEST_BACKOFF_MS)
        backoffMs = Math.max(backoffMs, growingMs * (0.5 + Math.random() / 2))
        member.failures += 1
      }
      member.backsOffUntil = Math.max(member.backsOffUntil, now + backoffMs)
    }
    if (member.reported === error.fault) return
    member.reported = error.fault
    const { fault, message } = error
    this.log.warn(
      { node: member.node.name, fault, reason: message, cure: CURES[fault] },
      'indexer.node-unfit',
    )
  }
}
