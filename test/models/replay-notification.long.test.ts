// Traces of the model of notification, replayed on pods and clients with a real Postgres and a real Redis. What is stored, what the
// pods have and what the clients know is compared after each step.
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
import { boundedSource } from './engine/models.js'
import { BREAKS_SEED, PLANTS_BREAKS, SEED, TIMES } from './replay/draws.js'
import type { TraceStep } from './replay/read-traces.js'
import {
  NAMELESS_BOUNDS,
  replayNotification,
  NOTIFICATION_BOUNDS,
  NOTIFICATION_WEIGHTS,
} from './replay/notification.js'
import { walkModel } from './replay/walk-model.js'

/** Drawn evenly; the night draws more, and others. */
const TRACES = 10 * TIMES
/**
 * What a break needs is rare among evenly drawn steps: these are drawn with weights, always the same. The
 * first eleven notice every break.
 */
const BREAKS_TRACES = TIMES > 1 ? 60 : 11
/** Drawn with weights too: what tells such a client from others takes many steps. The eighth notices the break. */
const NAMELESS_TRACES = TIMES > 1 ? 60 : 8
const BELIEVED = { find: '(select min(last_position) from earlier_epochs) as', by: 'null::bigint as' }

/** A part of the pods' code, broken until the function that it returns is called. */
function replace<T extends object, N extends keyof T>(whole: T, name: N, by: (before: T[N]) => T[N]) {
  const before = whole[name]
  whole[name] = by(before)
  return () => void (whole[name] = before)
}

/** Breaks of statements, and of the pods' code, that a replay must notice. */
const BREAKS: readonly ({ name: string } & ({ find: string; by: string } | { apply: () => () => void }))[] = [
  { name: 'healing finds no payment that is missing', find: 't.head > room.seq', by: 'false' },
  {
    name: 'an answer without the retractions of what the client has',
    find: 'asked.tracking_id collate "C" and e.retracted_at is not null',
    by: 'asked.tracking_id collate "C" and false',
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

t.comment(`SEED=${SEED}`)
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

async function replayAll(traces: readonly TraceStep[][], breakText?: (text: string) => string) {
  for (const trace of traces) {
    const replay = async () => {
      await untilConnected()
      return replayNotification({ store, database, redis, seats }, trace, breakText).catch(String)
    }
    const difference = await replay()
    if (difference === null) continue
    // On a starved machine a connection may end by itself, which is no step of the trace: a difference counts that comes again.
    const again = await replay()
    if (again !== null) return again
    t.comment(`only once:\n${difference}`)
  }
  return null
}

t.test('notification', async t => {
  const source = boundedSource('notification', NOTIFICATION_BOUNDS)
  const draw = { name: 'notification', source, traces: TRACES, steps: 40, weights: {} }
  const traces = walkModel({ ...draw, seed: SEED })
  t.equal(traces.length, TRACES)
  const seen = new Set(traces.flat().map(({ action }) => action))
  t.equal(seen.size, 14, `${[...seen].join(', ')}, in ${traces.flat().length} steps`)
  const difference = await replayAll(traces)
  if (difference !== null) t.comment(difference)
  t.equal(difference, null, 'everything is as the model says, after each step')
})

t.test('notification, with a client that sends no epoch', async t => {
  const source = boundedSource('notification', NAMELESS_BOUNDS)
  const draw = {
    name: 'notification',
    source,
    traces: NAMELESS_TRACES,
    steps: 50,
    weights: NOTIFICATION_WEIGHTS,
  }
  // Always the same: a database that is replaced between two reads, which are one step of the model, is not replayed.
  const difference = await replayAll(walkModel({ ...draw, seed: BREAKS_SEED }))
  if (difference !== null) t.comment(difference)
  t.equal(difference, null, 'everything is as the model says, after each step')
  if (!PLANTS_BREAKS) return
  let found = 0
  const broken = await replayAll(walkModel({ ...draw, seed: BREAKS_SEED }), text => {
    if (!text.includes(BELIEVED.find)) return text
    found += 1
    return text.replace(BELIEVED.find, BELIEVED.by)
  })
  t.ok(found > 0, 'the text is in a statement')
  t.ok(broken !== null, 'a `since` without an epoch that is always believed: noticed')
})

t.test('notification, by rare steps', async t => {
  const source = boundedSource('notification', NOTIFICATION_BOUNDS)
  const known = walkModel({
    name: 'notification',
    source,
    traces: BREAKS_TRACES,
    steps: 50,
    seed: BREAKS_SEED,
    weights: NOTIFICATION_WEIGHTS,
  })
  const difference = await replayAll(known)
  if (difference !== null) t.comment(difference)
  t.equal(difference, null, 'unbroken, they are as the model says')
  if (!PLANTS_BREAKS) return
  for (const each of BREAKS) {
    const restore = 'apply' in each ? each.apply() : () => {}
    let found = 0
    const difference = await replayAll(known, text => {
      if (!('find' in each) || !text.includes(each.find)) return text
      found += 1
      return text.replace(each.find, () => each.by)
    }).finally(restore)
    if ('find' in each) t.ok(found > 0, `${each.name}: the text is in a statement`)
    t.ok(difference !== null, `${each.name}: noticed`)
  }
})
