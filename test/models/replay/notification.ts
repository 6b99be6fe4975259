// The actions of notification.qnt as commits, announcements through a real Redis, pods, and clients of the published package.
import { watchPayments, type PaymentWatch } from '@payment-tracking/client'
import type { RedisConnections, Seats } from '@payment-tracking/redis'
import { commitBatch } from '@payment-tracking/store/ingest'
import { readPaymentsBySeq } from '@payment-tracking/store/reads'
import { type Store } from '@payment-tracking/store/core'
import type { TestDatabase } from '@payment-tracking/testkit'
import bs58 from 'bs58'
import type { Bounds } from '../plans.js'
import {
  batchOf,
  COPY,
  EMPTY,
  policyBatch,
  policyOf,
  PROMOTE,
  recipientOf,
  TRACKING_ID,
  verify,
} from './chain-database.js'
import { ClientDoor } from './client-door.js'
import { differenceOf, replaySteps } from './replay-steps.js'
import type { TraceStep, TraceValue } from './walk-model.js'
import { settle, until } from './settle.js'
import { holdTimers, type HeldTimers } from './held-timers.js'
import { openNotificationPod, type NotificationPod } from './notification-pod.js'

/** Two clients, one of which asks for the second payment's recipient, and two pods. */
export const NOTIFICATION_BOUNDS: Bounds = { PODS: 'Set(1, 2)', LOSSES: '1' }

/** Joining and answering more often than the rest: what happens to clients needs both. */
export const NOTIFICATION_WEIGHTS = {
  fence: 0.2,
  leave: 0.5,
  copy: 0.3,
  promote: 0.3,
  verify: 3,
  announce: 2,
  retract: 2,
  store: 2,
  join: 2,
  readHead: 3,
  readPage: 3,
  answer: 4,
  deliver: 1,
  heal: 1.5,
}

const POLICIES = [1, 2]
/** The policies' own events come first. */
const FIRST_POSITION = POLICIES.length

export interface NotificationWorld {
  store: Store
  database: TestDatabase
  redis: RedisConnections
  /** of both pods */
  seats: readonly Seats[]
}

class Client {
  readonly door = new ClientDoor()
  pod = 0
  answers = 0
  readonly counted = new Map<number, number>()
  readonly back = new Set<number>()
  #watch: PaymentWatch | null = null
  constructor(
    readonly number: number,
    private readonly timers: HeldTimers,
  ) {}

  async begin(): Promise<void> {
    const url = await this.door.listen()
    this.#watch = watchPayments(url, {
      trackingId: TRACKING_ID,
      ...(this.number === 2 ? { recipient: recipientOf(2) } : {}),
      onPayment: ({ seq, signature }) => this.counted.set(seq, txOf(signature)),
      onRetraction: ({ signature }) => this.back.add(txOf(signature)),
      onReady: () => (this.answers += 1),
      onReset: () => this.counted.clear(),
      // It would ask again on the same connection; here it leaves, and may come back to any pod.
      onRefused: () => {
        this.timers.dropNext = true
        this.door.cut()
      },
    })
  }
  get state(): { since: number; epoch: string } | null {
    return this.#watch!.state
  }
  close(): void {
    this.#watch?.close()
    this.door.close()
  }
}

const txOf = (signature: string): number => bs58.decode(signature)[0]!
const keyOfMessage = ({ kind, epoch, seq, id }: TraceValue): string => `${kind} ${epoch} ${seq} ${id}`

/** Replays one trace. @returns null, or the first step after which something differs from the model */
export async function replayNotification(
  world: NotificationWorld,
  trace: readonly TraceStep[],
  breakText: (text: string) => string = text => text,
): Promise<string | null> {
  const { store, database, redis, seats } = world
  const { pool } = database
  const timers = holdTimers()
  const pods: NotificationPod[] = []
  const numbers = Object.keys(trace[0]?.state.clients ?? {}).map(Number)
  const clients = numbers.map(number => new Client(number, timers))
  const openPod = (p: number) =>
    openNotificationPod(store, seats[p - 1]!, { breakText, heldTimers: () => timers.fire(p) })
  const capture = redis.connect('capture')
  const published: Buffer[] = []
  capture.on('pmessageBuffer', (_: Buffer, __: Buffer, message: Buffer) => published.push(message))
  const announced = new Map<string, Buffer>()
  const epochs = new Map<number, string>()

  const podOf = (p: number) => pods[p - 1]!
  const clientOf = (c: number) => clients.find(({ number }) => number === c)!
  /** Does a step of a pod, and lets its reads and what follows from them end. */
  const as = async (p: number, act: () => void | Promise<void>): Promise<void> => {
    timers.running = p
    await act()
    do await settle(redis.commands)
    while (podOf(p).gate.running > 0)
  }
  const leave = (c: number) => {
    const client = clientOf(c)
    client.door.cut()
    if (client.pod > 0) podOf(client.pod).gate.forget(c)
    client.pod = 0
  }
  /** The next read of a client's request waits for its step. */
  const holding = async (c: number, act: () => void): Promise<void> => {
    const { gate } = podOf(clientOf(c).pod)
    gate.holdsFor = c
    await as(clientOf(c).pod, act)
  }

  const actions: Record<string, (step: TraceStep) => Promise<unknown>> = {
    store: ({ picks: { id } }) =>
      commitBatch(store, batchOf({ kind: 'payment', tx: id, slot: id }, id, policyOf(id))),
    retract: ({ picks: { id } }) =>
      commitBatch(store, batchOf({ kind: 'retracted', tx: id, slot: id }, 10 + id)),
    async announce({ picks: { seq }, state }) {
      const [payment] = await readPaymentsBySeq(store, [{ trackingId: TRACKING_ID, from: seq, to: seq }])
      const { retracted } = payment!
      await redis.announce({
        epoch: epochs.get(state.db.epoch)!,
        ...(retracted ? { payments: [], retractions: [payment!] } : { payments: [payment!] }),
      })
      await until(() => published.length > 0)
      const id = state.db.rows[seq - 1]
      const message = { kind: retracted ? 'retraction' : 'payment', epoch: state.db.epoch, seq, id }
      announced.set(keyOfMessage(message), published.pop()!)
    },
    deliver: ({ picks: { p, m } }) => as(p, () => podOf(p).receive(announced.get(keyOfMessage(m))!)),
    heal: ({ picks: { p } }) => as(p, () => podOf(p).heal()),
    async fence({ picks: { p } }) {
      podOf(p).fenced = !podOf(p).fenced
    },
    async join({ picks: { c, p } }) {
      clientOf(c).pod = p
      const { gate, port } = podOf(p)
      await holding(c, () => clientOf(c).door.admit(port))
      await until(() => gate.waitsFor(c))
      gate.holdsFor = null
    },
    readHead: ({ picks: { c } }) => podOf(clientOf(c).pod).gate.run(c),
    async readPage({ picks: { c }, state }) {
      const { gate } = podOf(clientOf(c).pod)
      const { at, page, floor } = state.clients[c]
      // The answer to the first read reaches the request here when it reads again, and with `answer` otherwise.
      if (at !== 'away' && !(page.recovered && floor < page.top)) return
      await holding(c, () => gate.answer(c))
      gate.holdsFor = null
      await gate.run(c)
      if (at !== 'away') return
      await as(clientOf(c).pod, () => gate.answer(c))
      await until(() => !clientOf(c).door.isOpen)
    },
    async answer({ picks: { c }, state }) {
      const client = clientOf(c)
      const { answers } = client
      await as(client.pod, () => podOf(client.pod).gate.answer(c))
      const isOpen = state.clients[c].at === 'open'
      await until(() =>
        isOpen ? client.answers > answers : !client.door.isOpen || podOf(client.pod).hasEnded,
      )
    },
    async leave({ picks: { c } }) {
      leave(c)
    },
    copy: () => pool.query(COPY),
    promote: () => pool.query(PROMOTE),
    verify: () => verify(store),
  }

  /** What Postgres has. */
  const readDatabase = async (): Promise<TraceValue> => {
    const { rows } = await pool.query<{ found: TraceValue }>(
      `select json_build_object(
         'epoch', (select epoch from stream_head), 'branch', (select min(last_position)::int from earlier_epochs),
         'rows', coalesce((select json_agg(json_build_array(seq::int, signature, retracted_at is not null) order by seq)
                             from events where seq is not null), '[]')) as found`,
    )
    const { epoch, branch, rows: payments } = rows[0]!.found
    return {
      epoch,
      branch: branch === null ? -1 : branch - FIRST_POSITION,
      rows: payments.map(([seq, signature, isRetracted]: [number, string, boolean]) => [
        seq,
        txOf(signature),
        isRetracted,
      ]),
    }
  }
  const numberOf = (epoch: string | null): number | string =>
    epoch === null ? 0 : ([...epochs].find(([, each]) => each === epoch)?.[0] ?? epoch)
  /** What the processes and clients have. */
  const readOthers = (): TraceValue => ({
    pods: pods.map(({ epoch, rooms }) => {
      const room = rooms.find(TRACKING_ID)
      const { contiguous = null, highest = 0 } = room?.seqs ?? {}
      return { epoch: numberOf(epoch), contiguous, highest, members: room?.subscribers.size ?? 0 }
    }),
    clients: clients.map(({ door, state, counted, back }) => ({
      isThere: door.isOpen,
      floor: state?.since ?? -1,
      epoch: numberOf(state?.epoch ?? null),
      counted: [...counted].filter(([, id]) => !back.has(id)).sort(),
      back: [...back].sort(),
    })),
  })
  const expected = (state: TraceValue): TraceValue => ({
    pods: pods.map((_, at) => {
      const { epoch, floor, contiguous, ahead } = state.pods[at + 1]
      const members = Object.values<TraceValue>(state.clients).filter(
        ({ at: how, pod }) => how !== 'away' && pod === at + 1,
      )
      return {
        epoch,
        contiguous: floor < 0 ? null : contiguous,
        highest: Math.max(contiguous, ...ahead),
        members: members.length,
      }
    }),
    clients: clients.map(({ number }) => {
      const { at, floor, epoch, counted, back } = state.clients[number]
      return {
        isThere: at !== 'away',
        floor,
        epoch,
        counted: counted.filter(([, id]: [number, number]) => !back.includes(id)).sort(),
        back: back.sort(),
      }
    }),
  })
  const expectedDatabase = ({ db }: TraceValue): TraceValue => ({
    epoch: epochs.get(db.epoch),
    branch: db.branch,
    rows: db.rows.map((id: number, at: number) => [at + 1, id, db.retracted.includes(id)]),
  })
  /** A pod that met another epoch ends, and another takes its place. */
  const replaceEnded = async () => {
    for (const [at, pod] of pods.entries())
      if (pod.hasEnded) {
        for (const { number, pod: where } of clients) if (where === at + 1) leave(number)
        pod.close()
        timers.forget(at + 1)
        pods[at] = await openPod(at + 1)
      }
  }

  try {
    await pool.query(EMPTY)
    for (const policy of POLICIES) await commitBatch(store, policyBatch(policy))
    await verify(store)
    await capture.psubscribe(`${redis.keys.adapter}#*`)
    for (const p of [1, 2]) pods.push(await openPod(p))
    for (const client of clients) await client.begin()
    return await replaySteps(trace, async step => {
      await actions[step.action]!(step)
      const database = await readDatabase()
      const { epoch } = step.state.db
      if (!epochs.has(epoch) && numberOf(database.epoch) === database.epoch) epochs.set(epoch, database.epoch)
      const shouldBe = JSON.stringify([expectedDatabase(step.state), expected(step.state)])
      const read = () => JSON.stringify([database, readOthers()])
      await replaceEnded()
      for (const client of clients) if (!client.door.isOpen && client.pod > 0) leave(client.number)
      // What was sent may be on its way; what should not have been sent is found with the steps that follow.
      await until(() => read() === shouldBe, 1_000).catch(() => {})
      return differenceOf(read(), shouldBe)
    })
  } finally {
    for (const client of clients) client.close()
    for (const pod of pods) pod.close()
    capture.disconnect()
    timers.restore()
  }
}
