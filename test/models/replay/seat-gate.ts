// A pod's connection to Redis as a gate: calls, answers and messages wait there for their steps of the trace.
import { EventEmitter } from 'node:events'
import { setImmediate as turn } from 'node:timers/promises'
import type { Redis } from 'ioredis'

const KEYS_OF_SCRIPT = 6

type Arguments = (string | number)[]
export const opOf = (args: Arguments) => args[KEYS_OF_SCRIPT] as string
/** These happen within another step. */
const AT_ONCE = new Set(['init', 'restore', 'release', 'leave', 'holds'])

/** A call of the lease loop that waits for its steps. */
interface Pending {
  calls: Arguments[]
  answers: unknown[][] | null
  resolve: (answers: unknown[][]) => void
  reject: (error: Error) => void
}

/** What all pods share. */
export class World {
  server = 1
  clocks = new Map<string, number>()
  /** whose code runs */
  running = ''
  timers = new Map<object, { pod: string; delayMs: number; fire: () => void }>()
  /** calls that Redis has not answered */
  underWay = 0
  constructor(
    readonly client: Redis,
    readonly breakScript: (text: string) => string,
  ) {}
}

/** The connection of a pod to Redis, as ioredis has it. */
export class Gate extends EventEmitter {
  readonly status = 'ready'
  #script = ''
  #letLoopGo: (() => void) | null = null
  pending: Pending | null = null
  /** of `acquire` for a client, which Redis has granted */
  granted: { member: string; answer: () => void; fail: (late: Error) => void } | null = null
  messages: { channel: string; text: string }[] = []
  constructor(readonly world: World) {
    super()
  }
  defineCommand(_: string, { lua }: { lua: string }) {
    this.#script = this.world.breakScript(lua)
  }
  async info(section: string): Promise<string> {
    if (section === 'server') return `run_id:server${this.world.server}`
    await new Promise<void>(resolve => (this.#letLoopGo = resolve))
    return 'maxmemory_policy:noeviction'
  }
  /** Lets the lease loop begin its next round. */
  async nextRound(): Promise<void> {
    if (this.#letLoopGo === null) this.emit('ready')
    await until(() => this.#letLoopGo !== null)
    this.#letLoopGo!()
    this.#letLoopGo = null
  }
  /** The trace ends. */
  letGo(): void {
    this.pending?.reject(new Error('the trace ends'))
    this.pending = null
    this.granted?.answer()
    this.granted = null
    this.#letLoopGo?.()
    this.#letLoopGo = null
  }
  async run(args: Arguments): Promise<unknown[]> {
    this.world.underWay += 1
    try {
      return (await this.world.client.eval(this.#script, KEYS_OF_SCRIPT, ...args)) as unknown[]
    } finally {
      this.world.underWay -= 1
    }
  }
  #wait(calls: Arguments[]): Promise<unknown[][]> {
    return new Promise((resolve, reject) => (this.pending = { calls, answers: null, resolve, reject }))
  }
  async paymentLease(...args: Arguments): Promise<unknown[]> {
    const op = opOf(args)
    if (AT_ONCE.has(op)) return this.run(args)
    if (op !== 'acquire') return (await this.#wait([args]))[0]!
    const answer = await this.run(args)
    if (answer[0] === 'granted')
      await new Promise<void>((resolve, reject) => {
        this.granted = { member: String(args[10]), answer: resolve, fail: reject }
      })
    return answer
  }
  pipeline() {
    const calls: Arguments[] = []
    const pipeline = {
      paymentLease: (...args: Arguments) => (calls.push(args), pipeline),
      exec: async (): Promise<[null, unknown[]][]> => {
        const isGated = calls.some(args => !AT_ONCE.has(opOf(args)))
        const answers = isGated ? await this.#wait(calls) : await this.runAll(calls)
        return answers.map(answer => [null, answer])
      },
    }
    return pipeline
  }
  async runAll(calls: Arguments[]): Promise<unknown[][]> {
    const answers: unknown[][] = []
    for (const args of calls) answers.push(await this.run(args))
    return answers
  }
  publish(channel: string, text: string): Promise<number> {
    this.messages.push({ channel, text })
    return Promise.resolve(1)
  }
}

export async function until(holds: () => boolean, withinMs = 20_000): Promise<void> {
  const endMs = Date.now() + withinMs
  while (!holds()) {
    if (Date.now() > endMs) throw new Error('the pod did not come to where the model has it')
    await turn()
  }
}
/**
 * What follows from a step at once has followed. @param isQuiet false while calls follow one another, such as releases that are
 *   tried again: a pod that went on during a later step would see the other pod's clock
 */
export async function settle(client: Redis, isQuiet = (): boolean => true): Promise<void> {
  for (let quietTimes = 0; quietTimes < 2;) {
    await client.ping()
    await turn()
    quietTimes = isQuiet() ? quietTimes + 1 : 0
  }
}
