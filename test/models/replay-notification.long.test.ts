// Traces of the model of notification, replayed on pods and clients with a real Postgres and a real Redis. What is stored, what the
// pods have and what the clients know is compared after each step. What becomes of a client that sends no epoch, the regression of
// the promoted standby holds.
// In one process with others: Quint.
import { once } from 'node:events'
import { openRedis, Seats } from '@payment-tracking/redis'
import { openStore, type Store } from '@payment-tracking/store/core'
import { createDatabase, useRedis, waitFor } from '@payment-tracking/testkit'
import t from 'tap'
import { DatabaseEpoch } from '../../services/realtime/src/history/database-epoch.js'
import { RetractionHealer } from '../../services/realtime/src/rooms/retraction-healer.js'
import { Rooms } from '../../services/realtime/src/rooms/rooms.js'
import { SeqTracker } from '../../services/realtime/src/rooms/seq-tracker.js'
import { replayNotification, NOTIFICATION_BOUNDS, NOTIFICATION_WEIGHTS } from './replay/notification.js'
import { testReplay, type Break } from './replay/test-replay.js'
import type { TraceStep } from './replay/walk-model.js'

/** A part of the pods' code, broken until the function that it returns is called. */
function replace<T extends object, N extends keyof T>(whole: T, name: N, by: (before: T[N]) => T[N]) {
  const before = whole[name]
  whole[name] = by(before)
  return () => void (whole[name] = before)
}

/** Breaks of statements, and of the pods' code, that a replay must notice. */
const BREAKS: readonly Break[] = [
  { name: 'healing finds no payment that is missing', find: 't.head > room.seq', replace: 'false' },
  {
    name: 'an answer without the retractions of what the client has',
    find: 'asked.tracking_id collate "C" and e.retracted_at is not null',
    replace: 'asked.tracking_id collate "C" and false',
  },
  {
    name: 'what arrives before the answer is forgotten',
    apply: () =>
      replace(
        Rooms.prototype,
        'release',
        before =>
          function (this: Rooms, subscriber) {
            if (subscriber.heldBack) subscriber.heldBack = []
            before.call(this, subscriber)
          },
      ),
  },
  {
    name: 'the head of the first answer counts, and not the lowest',
    apply: () =>
      replace(
        SeqTracker.prototype,
        'baseline',
        before =>
          function (this: SeqTracker, head) {
            if (this.contiguous === null) before.call(this, head)
          },
      ),
  },
  {
    name: 'a message whose epoch nobody looks at',
    apply: () => replace(DatabaseEpoch.prototype, 'accepts', () => () => true),
  },
  {
    name: 'a pod that serves every epoch',
    apply: () => replace(DatabaseEpoch.prototype, 'serves', () => () => true),
  },
  {
    name: 'nobody looks for retractions that Redis lost',
    apply: () => replace(RetractionHealer.prototype, 'check', () => () => Promise.resolve()),
  },
]

const { url, prefix } = await useRedis(t)
const database = await createDatabase(t)
const store: Store = openStore({ DATABASE_URL: database.url, poolSize: 2 })
const redis = openRedis({ REDIS_URL: url, ENVIRONMENT: prefix })
t.teardown(async () => {
  await Promise.all(seats.map(each => each.close()))
  await redis.close()
  await store.close()
})
await once(redis.commands, 'ready')
const seats = [1, 2].map(
  () =>
    new Seats({
      redis: redis.commands,
      subscriber: redis.connect('seats'),
      keys: redis.keys,
      leaseMs: 3_600_000,
      timeoutMs: 2_000,
      firstUse: (initialise: () => Promise<void>) => initialise(),
      onFenced() {},
      onLifted() {},
      onError() {},
    }),
)
for (const each of seats) each.start()
/** While traces are drawn nothing else runs in this process, and a connection whose ping is not answered is cut. */
const untilConnected = () =>
  waitFor(async () => {
    await redis.ping()
    return seats.every(each => each.mayDeliver())
  })
await untilConnected()

const world = { store, database, redis, seats }
const model = {
  name: 'notification',
  bounds: NOTIFICATION_BOUNDS,
  traces: 10,
  steps: 40,
  actions: 14,
  async replay(_: unknown, trace: readonly TraceStep[], breakText?: (text: string) => string) {
    const replay = async () => {
      await untilConnected()
      return replayNotification(world, trace, breakText).catch(String)
    }
    const difference = await replay()
    // On a starved machine a connection may end by itself, which is no step of the trace: a difference counts that comes again.
    if (difference === null) return null
    t.comment(`at first:\n${difference}`)
    return replay()
  },
  breaks: [],
}

await testReplay([world], model)
await testReplay([world], {
  ...model,
  title: 'notification, by rare steps',
  // What a break needs is rare among evenly drawn steps. The first eleven notice every break.
  traces: 11,
  steps: 50,
  weights: NOTIFICATION_WEIGHTS,
  always: { atNight: 60 },
  breaks: BREAKS,
})
