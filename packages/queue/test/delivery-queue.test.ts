import type { DeliverJob } from '@payment-tracking/contracts'
import { endsBeforeTimer, useRedis, waitFor } from '@payment-tracking/testkit'
import {
  openBoardQueue,
  openDeliveryWorker,
  openQueue,
  asBulk,
  type DeliveryEnd,
} from '@payment-tracking/queue'
import t from 'tap'

/** How long a command may take. */
const COMMAND_TIMEOUT_MS = 2_000
const options = (REDIS_URL: string) => ({ REDIS_URL, ENVIRONMENT: 'test' })

t.test('while Redis is away a producer fails at once, and works again when it is back', async t => {
  const queue = openQueue(options('redis://127.0.0.1:1'))
  t.teardown(() => queue.close())
  const isRefusedAtOnce = await endsBeforeTimer(COMMAND_TIMEOUT_MS, async () => {
    await t.rejects(queue.enqueueDeliveries([{ id: 1n, webhookId: 1n }]), {
      code: 'QUEUE_UNAVAILABLE',
      retry: 'later',
    })
    await t.rejects(queue.countWaiting(), { code: 'QUEUE_UNAVAILABLE' })
    await t.rejects(queue.ping(), { code: 'QUEUE_UNAVAILABLE' })
  })
  t.ok(isRefusedAtOnce)
})

t.test('jobs carry ids and nothing else, in one slot of a cluster', async t => {
  const redis = await useRedis(t)
  const queue = openQueue(options(redis.url))
  t.teardown(() => queue.close())
  await waitFor(() => queue.ping().then(() => true), { what: 'Redis' })
  await queue.enqueueDeliveries([])
  await queue.enqueueDeliveries([
    { id: 9223372036854775807n, webhookId: 2n },
    { id: 3n, webhookId: 4n, delayMs: 60_000 },
  ])
  t.equal((await queue.countWaiting()).first, 1, 'a delayed job does not wait')
  const board = openBoardQueue(options(redis.url))
  t.teardown(() => board.close())
  const [job] = await board.queues[0].getWaiting()
  t.strictSame(job!.data, { deliveryId: '9223372036854775807', webhookId: '2' })
  for (const key of await redis.client.keys('*')) t.match(key, /^\{payment-tracking:test\}:/)
  await board.queues[0].pause()
  t.equal((await queue.countWaiting()).first, 0, 'nor does any job of a paused queue')
})

t.test('a job whose data is of another shape fails, and the jobs after it are worked on', async t => {
  const redis = await useRedis(t)
  const queue = openQueue(options(redis.url))
  const board = openBoardQueue(options(redis.url))
  t.teardown(() => Promise.all([queue.close(), board.close()]))
  await waitFor(() => queue.ping().then(() => true), { what: 'Redis' })
  const damaged: unknown[] = [
    { deliveryId: 'one', webhookId: '1' },
    { deliveryId: 1, webhookId: 1 },
    { deliveryId: '1' },
    { deliveryId: '1', webhookId: '1', more: [{}] },
    'text',
  ]
  for (const data of damaged) await board.queues[0].add('deliver', data)
  await queue.enqueueDeliveries([{ id: 7n, webhookId: 1n }])
  const worked: string[] = []
  const worker = await openDeliveryWorker({
    kept: { completed: 100, failed: 100 },
    ...options(redis.url),
    concurrency: 1,
    enqueue: deliveries => queue.enqueueDeliveries(deliveries),
    process: delivery => {
      worked.push(delivery.deliveryId)
      return Promise.resolve({ kind: 'done', result: 'delivered' })
    },
  })
  t.teardown(() => worker.close())
  worker.start()
  await waitFor(() => worked.length > 0, { what: 'the good job' })
  await waitFor(async () => (await board.queues[0].getFailedCount()) === damaged.length, {
    what: 'the failed jobs',
  })
  t.strictSame(worked, ['7'])
  for (const job of await board.queues[0].getFailed()) t.match(job.failedReason, 'is not a DeliverJob')
})

t.test('finished jobs are kept up to a number, and no longer', async t => {
  const redis = await useRedis(t)
  const queue = openQueue(options(redis.url))
  const board = openBoardQueue(options(redis.url))
  t.teardown(() => Promise.all([queue.close(), board.close()]))
  await waitFor(() => queue.ping().then(() => true), { what: 'Redis' })
  let worked = 0
  const worker = await openDeliveryWorker({
    kept: { completed: 3, failed: 2 },
    ...options(redis.url),
    concurrency: 1,
    enqueue: deliveries => queue.enqueueDeliveries(deliveries),
    process: () =>
      Promise.resolve(++worked % 2 === 0 ? { kind: 'failed', reason: 'x' } : { kind: 'done', result: 'y' }),
  })
  t.teardown(() => worker.close())
  for (let id = 1n; id <= 20n; id++) await queue.enqueueDeliveries([{ id, webhookId: 1n }])
  worker.start()
  await waitFor(() => worked === 20, { what: 'all jobs' })
  await waitFor(async () => (await board.queues[0].getActiveCount()) === 0, { what: 'the last job to end' })
  t.equal(await board.queues[0].getCompletedCount(), 3)
  t.equal(await board.queues[0].getFailedCount(), 2)
})

t.test('a job ends with its delivery, which gets another one when it is due again', async t => {
  const redis = await useRedis(t)
  const queue = openQueue(options(redis.url))
  const board = openBoardQueue(options(redis.url))
  t.teardown(() => Promise.all([queue.close(), board.close()]))
  const again = (delayMs: number): DeliveryEnd => ({ kind: 'again', delayMs, queue: 'first' })
  const done = (result: string): DeliveryEnd => ({ kind: 'done', result })
  const ends: Record<string, DeliveryEnd[]> = {
    '1': [done('delivered')],
    '2': [{ kind: 'failed', reason: 'status 500' }],
    '3': [again(10), done('delivered')],
    // More often than a job has attempts: the row decides, not the job.
    '4': [...Array<DeliveryEnd>(6).fill(again(1)), done('x')],
  }
  const worker = await openDeliveryWorker({
    kept: { completed: 100, failed: 100 },
    ...options(redis.url),
    concurrency: 4,
    enqueue: deliveries => queue.enqueueDeliveries(deliveries),
    process: ({ deliveryId }) => {
      const end = ends[deliveryId]?.shift()
      return end ? Promise.resolve(end) : Promise.reject(new Error('not foreseen'))
    },
  })
  t.teardown(() => worker.close())
  t.strictSame(
    worker.progress(),
    {
      first: { active: 0, started: 0, slots: 4 },
      bulk: { active: 0, started: 0, slots: 1 },
    },
    'nothing runs before the start',
  )
  worker.start()
  await waitFor(() => queue.ping().then(() => true), { what: 'Redis' })
  for (const id of [1n, 2n, 3n, 4n, 5n]) await queue.enqueueDeliveries([{ id, webhookId: 1n }])
  await waitFor(() => Object.values(ends).every(left => left.length === 0), { what: 'all deliveries' })
  await waitFor(async () => (await board.queues[0].getDelayedCount()) === 1, {
    what: 'what the processor did not foresee comes back',
  })
  const [failed] = await board.queues[0].getFailed()
  t.match(failed, { data: { deliveryId: '2' }, failedReason: '2: status 500', attemptsMade: 1 })
  const completed = await board.queues[0].getCompleted()
  t.ok(completed.every(job => job.attemptsMade === 1 && job.opts.attempts === 4))
  t.match(
    completed.find(job => job.data.deliveryId === '1'),
    { returnvalue: '1 delivered' },
  )
})

t.test('a job whose delivery could not be enqueued again is tried again itself', async t => {
  const redis = await useRedis(t)
  const queue = openQueue(options(redis.url))
  const board = openBoardQueue(options(redis.url))
  t.teardown(() => Promise.all([queue.close(), board.close()]))
  await waitFor(() => queue.ping().then(() => true), { what: 'Redis' })
  let [worked, refused] = [0, 0]
  const worker = await openDeliveryWorker({
    kept: { completed: 100, failed: 100 },
    ...options(redis.url),
    concurrency: 4,
    enqueue: () => Promise.reject(new Error(`refused ${++refused}`)),
    process: () =>
      Promise.resolve(++worked === 1 ? { kind: 'again', delayMs: 1 } : { kind: 'done', result: 'delivered' }),
  })
  t.teardown(() => worker.close())
  await queue.enqueueDeliveries([{ id: 1n, webhookId: 1n }])
  worker.start()
  await waitFor(async () => (await board.queues[0].getCompletedCount()) === 1, { what: 'the job' })
  t.strictSame([worked, refused], [2, 1])
  t.match(await board.queues[0].getCompleted(), [{ attemptsMade: 2, returnvalue: '1 delivered' }])
})

t.test('deliveries that are due together share jobs, and each ends by itself', async t => {
  const redis = await useRedis(t)
  const queue = openQueue(options(redis.url))
  const board = openBoardQueue(options(redis.url))
  t.teardown(() => Promise.all([queue.close(), board.close()]))
  await waitFor(() => queue.ping().then(() => true), { what: 'Redis' })
  const refs = Array.from({ length: 40 }, (_, n) => ({ id: BigInt(n), webhookId: 7n }))
  await queue.enqueueDeliveries([...refs, { id: 40n, webhookId: 7n, delayMs: 60_000 }])
  t.equal((await queue.countWaiting()).first, 3)
  t.equal(await board.queues[0].getDelayedCount(), 1)
  const named = (await board.queues[0].getWaiting()).map(job => job.data as DeliverJob)
  for (const { deliveryId, webhookId } of named)
    t.match({ deliveryId, webhookId }, { deliveryId: /^\d+$/, webhookId: '7' }, 'one where it always was')
  t.strictSame(
    named
      .flatMap(({ deliveryId, more = [] }) => [deliveryId, ...more.map(other => other.deliveryId)])
      .sort((a, b) => Number(a) - Number(b)),
    refs.map(({ id }) => id.toString()),
  )

  let together = 0
  let most = 0
  const seen = new Map<string, number>()
  const lost: Error[] = []
  const worker = await openDeliveryWorker({
    kept: { completed: 100, failed: 100 },
    ...options(redis.url),
    concurrency: 5,
    onError: error => lost.push(error),
    enqueue: deliveries => queue.enqueueDeliveries(deliveries),
    process: async ({ deliveryId }) => {
      const times = (seen.get(deliveryId) ?? 0) + 1
      seen.set(deliveryId, times)
      most = Math.max(most, ++together)
      await new Promise(resolve => setImmediate(resolve))
      together--
      if (deliveryId === '3' && times === 1) return { kind: 'again', delayMs: 10 }
      if (deliveryId === '4' && times === 1) return { kind: 'again', delayMs: 10, queue: 'first' }
      if (deliveryId === '5' && times === 1) throw new Error('not foreseen')
      if (deliveryId === '20') return { kind: 'failed', reason: 'status 410' }
      return { kind: 'done', result: 'delivered' }
    },
  })
  t.teardown(() => worker.close())
  worker.start()
  await waitFor(() => [...seen.values()].reduce((sum, times) => sum + times, 0) === 43, { what: 'all' })
  t.equal(most, 5, 'at most as many at once as the option says, however many a job names')
  t.strictSame(
    [...seen].filter(([, times]) => times > 1).map(([id]) => id),
    ['3', '4', '5'],
    'what was put off came back, the others did not',
  )
  t.match(await board.queues[0].getFailed(), [{ failedReason: '20: status 410' }])
  t.match(lost, [{ message: 'not foreseen' }])
})

t.test('a stop hands back the deliveries of a job that were not begun', async t => {
  const redis = await useRedis(t)
  const queue = openQueue(options(redis.url))
  t.teardown(() => queue.close())
  await waitFor(() => queue.ping().then(() => true), { what: 'Redis' })
  let letGo: (() => void) | undefined
  const begun: string[] = []
  const open = (concurrency: number) =>
    openDeliveryWorker({
      kept: { completed: 100, failed: 100 },
      ...options(redis.url),
      concurrency,
      enqueue: deliveries => queue.enqueueDeliveries(deliveries),
      process: async ({ deliveryId }) => {
        begun.push(deliveryId)
        if (begun.length === 1) await new Promise<void>(resolve => (letGo = resolve))
        return { kind: 'done', result: 'delivered' }
      },
    })
  await queue.enqueueDeliveries([1n, 2n, 3n].map(id => ({ id, webhookId: 1n })))
  const first = await open(1)
  first.start()
  await waitFor(() => letGo, { what: 'the first delivery' })
  const stopped = first.stop()
  letGo!()
  await stopped
  t.strictSame(begun, ['1'])
  await first.close()
  const second = await open(1)
  t.teardown(() => second.close())
  second.start()
  await waitFor(() => begun.length === 3, { what: 'the others' })
  t.strictSame(begun, ['1', '2', '3'])
})

t.test('what just happened waits for nothing that comes together or again', async t => {
  const redis = await useRedis(t)
  const queue = openQueue(options(redis.url))
  const board = openBoardQueue(options(redis.url))
  t.teardown(() => Promise.all([queue.close(), board.close()]))
  await waitFor(() => queue.ping().then(() => true), { what: 'Redis' })
  const letGo: (() => void)[] = []
  const begun: string[] = []
  const worker = await openDeliveryWorker({
    kept: { completed: 100, failed: 100 },
    ...options(redis.url),
    concurrency: 4,
    enqueue: deliveries => queue.enqueueDeliveries(deliveries),
    process: async ({ deliveryId, webhookId }) => {
      begun.push(deliveryId)
      if (webhookId === '1') await new Promise<void>(resolve => letGo.push(resolve))
      if (deliveryId === '500' || deliveryId === '501')
        return { kind: 'again', delayMs: 60_000, ...(deliveryId === '500' && { queue: 'bulk' as const }) }
      return { kind: 'done', result: 'delivered' }
    },
  })
  t.teardown(async () => {
    const closed = worker.close()
    for (const go of letGo) go()
    await closed
  })
  const slow = Array.from({ length: 100 }, (_, n) => ({ id: BigInt(n), webhookId: 1n }))
  await queue.enqueueDeliveries(asBulk(slow))
  worker.start()
  await waitFor(() => begun.length === 1, { what: 'the slots of what comes together' })
  await queue.enqueueDeliveries([{ id: 400n, webhookId: 2n }])
  await waitFor(() => begun.includes('400'), { what: 'a first attempt beside 100 that hang' })
  t.strictSame(worker.progress().bulk, { active: 1, started: 1, slots: 1 })

  await queue.enqueueDeliveries([{ id: 500n, webhookId: 2n }])
  await queue.enqueueDeliveries([{ id: 501n, webhookId: 2n }])
  const delayed = () => Promise.all(board.queues.map(each => each.getDelayedCount()))
  await waitFor(async () => (await delayed()).join() === '1,1', { what: 'each in its queue' })
  const jobs = (await Promise.all(board.queues.map(each => each.getDelayed()))).flat()
  t.match(
    jobs.map(job => job.data),
    [{ deliveryId: '501' }, { deliveryId: '500' }],
  )
})
