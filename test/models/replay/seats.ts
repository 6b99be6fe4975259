// The actions of seats.qnt as steps of two real pods with a real Redis. What a pod asks of Redis waits at a gate for its
// step, and so do answers and the messages between pods. Clocks are set by hand: a tick is a minute.
// All actions work on the same two pods and their connections, so they are one file of more than 300 lines.
import { EventEmitter } from 'node:events'
import { buildRedisKeys, Seats, type SeatAnswer, type SeatRequest } from '@payment-tracking/redis'
import type { Redis } from 'ioredis'
import type { Bounds } from '../plans.js'
import { differenceOf, replaySteps } from './replay-steps.js'
import type { TraceStep, TraceValue } from './walk-model.js'
import { Gate, opOf, settle, until, World } from './seat-gate.js'

export const SEATS_BOUNDS: Bounds = { BEGINS: '6', SECRETS: '9', LOSSES: '1' }

/** What happens rarely, or ends much, is taken rarely. */
export const SEATS_WEIGHTS = {
  tick: 0.5,
  timeOut: 0.3,
  flush: 0.2,
  failOver: 0.2,
  copy: 0.3,
  leave: 0.5,
  send: 1,
  ask: 0.7,
  granted: 2,
  execute: 2,
  answer: 3,
  giveUp: 0.4,
  waitOver: 4,
}

const TICK_MS = 60_000
/** MOST_AGE of the model. */
const LATEST = 1
/** Between two and three ticks; four fifths of it are two, where the fence falls. */
const LEASE_MS = 2.5 * TICK_MS
/** Timers that a step fires, and no time. */
const LONGEST_TIMER_MS = 10_000
/** How long a call may wait: longer than any wait for an old pod, which ends with a lease, so that the timers differ. */
const CALL_LIMIT_MS = 2 * LEASE_MS
interface Pod {
  number: number
  gate: Gate
  subscriber: EventEmitter & { subscribe: () => Promise<void> }
  seats: Seats
}
interface Connection {
  pod: number
  request: SeatRequest
  member: string
  answer: SeatAnswer | null
  over: boolean
}

/** Of a standby. A pod forgets after two leases what it gave up, and the model never (docs/reliability.md). */
const MOST_LAG_TICKS = 3
/** The trace as far as no standby with older data takes the server's place. */
function upToLateStandby(trace: readonly TraceStep[]): readonly TraceStep[] {
  let lag = 0
  const end = trace.findIndex(({ action }) => {
    if (action === 'copy') lag = 0
    if (action === 'tick') lag += 1
    return action === 'failOver' && lag > MOST_LAG_TICKS
  })
  return end < 0 ? trace : trace.slice(0, end)
}

/** Replays one trace. @returns null, or the first step after which Redis or a pod differs from the model */
export async function replaySeats(
  client: Redis,
  environment: string,
  trace: readonly TraceStep[],
  breakScript: (text: string) => string = text => text,
): Promise<string | null> {
  const world = new World(client, breakScript)
  const keys = buildRedisKeys(environment)
  const real = { now: performance.now.bind(performance), setTimeout: globalThis.setTimeout }
  const beganMs = Math.round(real.now())
  performance.now = () => beganMs + (world.clocks.get(world.running) ?? 0)
  globalThis.setTimeout = ((fire: () => void, delayMs: number, ...rest: []) => {
    if (delayMs <= LONGEST_TIMER_MS) return real.setTimeout(fire, delayMs, ...rest)
    const timer = { ref() {}, unref() {}, [Symbol.toPrimitive]: () => 0 }
    world.timers.set(timer, { pod: world.running, delayMs, fire })
    return timer
  }) as typeof globalThis.setTimeout
  try {
    return await replay(world, keys, trace)
  } finally {
    performance.now = real.now
    globalThis.setTimeout = real.setTimeout
  }
}

async function replay(
  world: World,
  keys: ReturnType<typeof buildRedisKeys>,
  trace: readonly TraceStep[],
): Promise<string | null> {
  const { client } = world
  await client.flushdb()
  let isFirst = true
  const pods: Pod[] = []
  const connections = new Map<number, Connection>()
  const podOf = (number: number) => pods[number - 1]!
  const nodes = new Map<string, number>()
  const settled = () => settle(client, () => world.underWay === 0)
  const as = async (number: number, act: () => void | Promise<void>): Promise<void> => {
    world.running = String(number)
    await act()
    await settled()
  }
  for (const number of [1, 2]) {
    const gate = new Gate(world)
    const subscriber = Object.assign(new EventEmitter(), { subscribe: () => Promise.resolve() })
    world.clocks.set(String(number), 0)
    world.running = String(number)
    const seats = new Seats({
      redis: gate as never,
      subscriber: subscriber as never,
      keys,
      leaseMs: LEASE_MS,
      timeoutMs: CALL_LIMIT_MS,
      firstUse: async initialise => {
        if (isFirst) await initialise()
        isFirst = false
      },
      onFenced() {},
      onLifted() {},
      onError() {},
    })
    pods.push({ number, gate, subscriber, seats })
    await as(number, async () => {
      seats.start()
      await settled()
      await gate.nextRound()
      await until(() => gate.pending !== null)
      await execute(gate)
      gate.pending!.resolve(gate.pending!.answers!)
      gate.pending = null
      await until(() => gate.pending !== null)
      nodes.set(String(gate.pending!.calls[0]![9]).split('~')[0]!, number)
      await execute(gate)
      answer(gate)
    })
  }

  const toName = (pod: string) => {
    const [node, lease] = pod.split('~')
    return 10 * nodes.get(node!)! + Number(lease)
  }
  const secretOf = (member: string): number => {
    const secret = member.split('.')[2]
    for (const [number, connection] of connections)
      if (connection.member.split('.')[2] === secret) return number
    throw new Error(`nobody knows ${member}`)
  }

  async function execute(gate: Gate, holdsSeats = false): Promise<void> {
    const pending = gate.pending!
    const answers = await gate.runAll(pending.calls)
    if (!holdsSeats) return void (pending.answers = answers)
    // The pod joined, and takes back its seats.
    gate.pending = null
    pending.resolve(answers)
    await until(() => gate.pending !== null)
    gate.pending!.answers = await gate.runAll(gate.pending!.calls)
  }
  function answer(gate: Gate): void {
    const { resolve, answers } = gate.pending!
    gate.pending = null
    resolve(answers!)
  }

  let snapshot: { key: string; value: Buffer; expiresAtMs: number | null }[] = []
  /** Redis' clock, against which everything in Redis is moved back. */
  let shiftedMs = 0
  /** as it was when the standby got its data */
  let copiedMs = 0
  const leases = keys.lease('pods')
  const allKeys = () => client.keys('*')
  const shift = async () => {
    for (const name of await client.zrange(leases, '0', '-1'))
      await client.zincrby(leases, String(-TICK_MS), name)
    const left = await client.pttl(keys.lease('recovering'))
    if (left > TICK_MS) await client.pexpire(keys.lease('recovering'), left - TICK_MS)
    else if (left > 0) await client.del(keys.lease('recovering'))
  }
  async function copy(): Promise<void> {
    snapshot = []
    for (const key of await allKeys()) {
      const left = await client.pttl(key)
      snapshot.push({
        key,
        value: await client.dumpBuffer(key),
        expiresAtMs: left < 0 ? null : left + shiftedMs,
      })
    }
    copiedMs = shiftedMs
  }
  const steps: Record<string, (step: TraceStep, before: TraceValue) => Promise<void>> = {
    async tick({ picks }) {
      await shift()
      shiftedMs += TICK_MS
      for (const { number } of pods)
        if (number !== picks.slow)
          world.clocks.set(String(number), world.clocks.get(String(number))! + TICK_MS)
    },
    send: ({ picks }) =>
      as(picks.p, async () => {
        const { gate } = podOf(picks.p)
        await gate.nextRound()
        await until(() => gate.pending !== null)
      }),
    execute: ({ picks }) =>
      as(picks.p, async () => {
        const { gate, seats } = podOf(picks.p)
        await execute(gate, opOf(gate.pending!.calls[0]!) === 'join' && seats.size > 0)
      }),
    answer: ({ picks, state }) =>
      as(picks.p, async () => {
        const { gate } = podOf(picks.p)
        answer(gate)
        // Some answers are followed by a call at once.
        if (state.pods[picks.p].call.at === 'sent') await until(() => gate.pending !== null)
      }),
    timeOut: ({ picks }) =>
      as(picks.p, () => {
        const { gate } = podOf(picks.p)
        const { reject } = gate.pending!
        gate.pending = null
        reject(new Error('no answer in time'))
      }),
    ask: ({ picks, state }) =>
      as(picks.p, async () => {
        const { gate, seats } = podOf(picks.p)
        const old = connections.get(picks.resume)?.answer
        const connection: Connection = {
          pod: picks.p,
          member: '',
          answer: null,
          over: false,
          request: {
            name: 'order',
            limit: 1,
            networks: ['somebody'],
            ...(old && 'seat' in old ? { resume: old.seat.resume } : {}),
            onLost: () => (connection.over = true),
          },
        }
        void seats.acquire(connection.request).then(answer => (connection.answer = answer))
        await until(() => gate.granted !== null || connection.answer !== null)
        if (gate.granted === null) return
        connection.member = gate.granted.member
        connections.set(state.used.length, connection)
      }),
    granted: ({ picks }, before) =>
      as(picks.p, () => {
        const { gate } = podOf(picks.p)
        const { answer, fail } = gate.granted!
        gate.granted = null
        if (before.pods[picks.p].ask.age > LATEST) fail(new Error('no answer in time'))
        else answer()
      }),
    async giveUp({ picks }, before) {
      const { gate } = podOf(picks.p)
      const { text } = gate.messages.findLast(({ text }) => text.startsWith('{"evict"'))!
      const old = podOf(Math.floor(before.pods[picks.p].ask.old.name / 10))
      old.gate.messages = []
      await as(old.number, () => void old.subscriber.emit('message', keys.evictions(nodeOf(old)), text))
      const [confirmed] = old.gate.messages.splice(0)
      if (picks.isHeard)
        await as(picks.p, () => {
          podOf(picks.p).subscriber.emit('message', keys.evictions(nodeOf(podOf(picks.p))), confirmed!.text)
        })
    },
    waitOver: ({ picks }) =>
      as(picks.p, () => {
        // The wait for the old pod is the one timer that is no time limit of a call.
        for (const [timer, { pod, delayMs, fire }] of world.timers)
          if (pod === String(picks.p) && delayMs !== CALL_LIMIT_MS) {
            world.timers.delete(timer)
            fire()
          }
      }),
    leave: ({ picks }) =>
      as(picks.p, () => {
        const connection = connections.get(picks.x.secret)!
        connection.over = true
        if (connection.answer && 'seat' in connection.answer) connection.answer.seat.release()
      }),
    async flush() {
      await client.flushdb()
    },
    copy,
    async failOver() {
      await client.flushdb()
      for (const { key, value, expiresAtMs } of snapshot) {
        const left = expiresAtMs === null ? 0 : expiresAtMs - shiftedMs
        if (expiresAtMs === null || left > 0) await client.restore(key, Math.max(0, Math.round(left)), value)
      }
      const late = shiftedMs - copiedMs
      for (const name of await client.zrange(leases, '0', '-1'))
        await client.zincrby(leases, String(-late), name)
      world.server += 1
      for (const { number, gate } of pods)
        await as(number, () => {
          if (gate.pending?.answers === null) {
            gate.pending.reject(new Error('the connection broke'))
            gate.pending = null
          }
          gate.emit('close')
          gate.emit('ready')
        })
    },
  }
  const nodeOf = ({ number }: Pod): string => [...nodes].find(([, each]) => each === number)![0]

  /** Redis and the pods, as the model writes them. */
  const read = async () => {
    const answers = await client
      .pipeline()
      .time()
      .zrange(leases, '0', '-1', 'WITHSCORES')
      .smembers(keys.lease('seats:order'))
      .pttl(keys.lease('recovering'))
      .exec()
    const [time, ends, members, recoveryMs] = answers!.map(([, answer]) => answer) as [
      [number, number],
      string[],
      string[],
      number,
    ]
    const now = time[0] * 1000
    const living = ends.flatMap((name, at) =>
      at % 2 === 0 && Number(ends[at + 1]) > now ? [toName(name)] : [],
    )
    return {
      living: living.sort(),
      seats: members.map(member => `${toName(member.split('.')[0]!)} ${secretOf(member)}`).sort(),
      recovering: Math.ceil(Math.max(0, recoveryMs) / TICK_MS),
      pods: pods.map(({ number, seats }) => {
        world.running = String(number)
        const open = [...connections].filter(
          ([, { pod, answer, over }]) => pod === number && !over && answer !== null && 'seat' in answer,
        )
        return { maySend: seats.mayDeliver(), held: seats.size, open: open.map(([secret]) => secret).sort() }
      }),
    }
  }
  const expected = (state: TraceValue): Awaited<ReturnType<typeof read>> => ({
    living: Object.entries(state.redis.leases)
      .filter(([, left]) => (left as number) > 0)
      .map(([name]) => Number(name))
      .sort(),
    seats: state.redis.seats.map(({ name, secret }: TraceValue) => `${name} ${secret}`).sort(),
    recovering: state.redis.recovery,
    pods: [1, 2].map(number => {
      const { fence, held, ask } = state.pods[number]
      const open = held
        .map(({ secret }: TraceValue) => secret)
        .filter((secret: number) => ask.at !== 'waiting' || ask.seat.secret !== secret)
      return { maySend: fence > 0, held: held.length, open: open.sort() }
    }),
  })

  try {
    await copy()
    return await replaySteps(upToLateStandby(trace), async (step, before) => {
      await steps[step.action]!(step, before?.state)
      return differenceOf(JSON.stringify(await read()), JSON.stringify(expected(step.state)))
    })
  } finally {
    for (const { number, gate, seats } of pods)
      await as(number, async () => {
        let isClosed = false
        void seats.close().then(() => (isClosed = true))
        await until(() => {
          gate.letGo()
          return isClosed
        })
      })
  }
}
