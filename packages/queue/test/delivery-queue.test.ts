import {
  endsBeforeTimer,
  makeDeliveryRef,
  useRedis,
  waitFor,
  type TestContext,
} from '@payment-tracking/testkit'
import { openQueue, asBulk, type DeliveryEnd, type DeliveryWorkerOptions } from '@payment-tracking/queue'
import { openBoardQueue } from '@payment-tracking/queue/board'
import { openDeliveryWorker } from '@payment-tracking/queue/worker'
import t from 'tap'

/** How long a command may take. */
const COMMAND_TIMEOUT_MS = 2_000
const options = (REDIS_URL: string) => ({ REDIS_URL, ENVIRONMENT: 'test' })
const DELIVERED: DeliveryEnd = { kind: 'done', result: 'delivered' }

/** A queue, its board, and workers that are closed with the test. */
async function open(t: TestContext) {
  const redis = await useRedis(t)
  const queue = openQueue(options(redis.url))
  const board = openBoardQueue(options(redis.url))
  t.teardown(() => Promise.all([queue.close(), board.close()]))
  await waitFor(() => queue.ping().then(() => true), { what: 'Redis' })
  const openWorker = async (
    over: Partial<DeliveryWorkerOptions> & Pick<DeliveryWorkerOptions, 'process'>,
  ) => {
    const worker = await openDeliveryWorker({
      kept: { completed: 100, failed: 100 },
      ...options(redis.url),
      concurrency: 4,
      ...over,
    })
    t.teardown(() => worker.close())
    return worker
  }
  const [first, bulk] = board.queues
  return { redis, queue, board, first, bulk, openWorker }
}

t.test('while Redis is away a producer fails at once, and works again when it is back', async t => {
  const queue = openQueue(options('redis://127.0.0.1:1'))
  t.teardown(() => queue.close())
  const refused = { code: 'QUEUE_UNAVAILABLE', retry: 'later' }
  const isRefusedAtOnce = await endsBeforeTimer(COMMAND_TIMEOUT_MS, async () => {
    await t.rejects(queue.enqueueDeliveries([makeDeliveryRef(1n)]), refused)
    await t.rejects(queue.promoteDeliveries([makeDeliveryRef(1n)]), refused)
    await t.rejects(queue.countWaiting(), refused)
    await t.rejects(queue.ping(), refused)
  })
  t.ok(isRefusedAtOnce)
})

t.test('a job says what goes to whom, in one slot of a cluster', async t => {
  const { redis, queue, first } = await open(t)
  await queue.enqueueDeliveries([])
  await queue.enqueueDeliveries([
    makeDeliveryRef(9223372036854775807n, {
      webhookId: 2n,
      triesLeft: 3,
      trackingId: '"caf\\u00e9 \\"7\\""',
    }),
    makeDeliveryRef(3n, { trackingId: null }),
    makeDeliveryRef(4n, { trackingId: `[${[...Buffer.from('café'), 0, 0, 0].join()}]` }),
    makeDeliveryRef(5n, { trackingId: '[0,0]' }),
  ])
  const [job, other, ofMemo, ofZeros] = await first.getWaiting()
  t.match(job, { id: '9223372036854775807-1795946400000', name: 'payment.executed → shop.example' })
  t.strictSame(job!.data, {
    deliveryId: '9223372036854775807',
    webhookId: '2',
    gateway: '4Nd1mYb3yGateway',
    trackingId: 'café "7"',
    cycle: '2026-11-29T10:00:00.000Z',
  })
  t.equal(job!.opts.attempts, 3, 'the tries that are left')
  t.equal(other!.data.trackingId, null)
  t.equal(ofMemo!.data.trackingId, 'café', 'as the incumbent sends it')
  t.equal(ofZeros!.data.trackingId, null)
  for (const key of await redis.client.keys('*')) t.match(key, /^\{payment-tracking:test\}:/)
  t.equal((await queue.countWaiting()).first, 4)
  await first.pause()
  t.equal((await queue.countWaiting()).first, 0, 'of a paused queue no worker can take a job')
})

t.test('a job whose data is of another shape fails, and the jobs after it are worked on', async t => {
  const { queue, first, openWorker } = await open(t)
  const whole = { deliveryId: '1', webhookId: '1', gateway: 'g', trackingId: null, cycle: 'c' }
  const damaged: unknown[] = [
    { ...whole, deliveryId: 'one' },
    { ...whole, deliveryId: 1 },
    { ...whole, webhookId: undefined },
    { ...whole, trackingId: 7 },
    'text',
  ]
  for (const data of damaged) await first.add('deliver', data, { attempts: 4 })
  await queue.enqueueDeliveries([makeDeliveryRef(7n)])
  const worked: string[] = []
  const worker = await openWorker({
    concurrency: 1,
    process: delivery => {
      worked.push(delivery.deliveryId)
      return Promise.resolve(DELIVERED)
    },
  })
  worker.start()
  await waitFor(() => worked.length > 0, { what: 'the good job' })
  await waitFor(async () => (await first.getFailedCount()) === damaged.length, { what: 'the failed jobs' })
  t.strictSame(worked, ['7'])
  for (const job of await first.getFailed()) t.match(job.failedReason, 'is not a DeliverJob')
})

t.test('ended jobs are kept up to a number, and no longer', async t => {
  const { queue, first, openWorker } = await open(t)
  let worked = 0
  const worker = await openWorker({
    kept: { completed: 3, failed: 2 },
    concurrency: 1,
    process: () => Promise.resolve(++worked % 2 === 0 ? { kind: 'failed', reason: 'x' } : DELIVERED),
  })
  for (let id = 1n; id <= 20n; id++) await queue.enqueueDeliveries([makeDeliveryRef(id)])
  worker.start()
  await waitFor(() => worked === 20, { what: 'all jobs' })
  await waitFor(async () => (await first.getActiveCount()) === 0, { what: 'the last job to end' })
  t.equal(await first.getCompletedCount(), 3)
  t.equal(await first.getFailedCount(), 2)
})

t.test('what may not go now spends no attempt, and the job says why it waits', async t => {
  const { queue, first, openWorker } = await open(t)
  // More often than a job has attempts.
  let waits = 0
  const errors: string[] = []
  const worker = await openWorker({
    onError: error => errors.push(error.message),
    process: () => {
      if (++waits <= 6) return Promise.resolve({ kind: 'wait', reason: 'breaker open', forMs: 1 })
      if (waits === 7) return Promise.reject(new Error('not foreseen'))
      return Promise.resolve({ kind: 'wait', reason: 'rate cap', forMs: 3_600_000 })
    },
  })
  await queue.enqueueDeliveries([makeDeliveryRef(1n)])
  worker.start()
  const job = await waitFor(async () => (waits === 8 ? (await first.getDelayed())[0] : undefined), {
    what: 'the waits',
  })
  t.match(job, { attemptsMade: 0, delay: Number })
  const { logs } = await first.getJobLogs(job.id!)
  t.equal(logs.length, 8)
  t.match(logs[0], /^\S+Z breaker open: waits until \S+Z$/)
  t.match(logs[6], /Z an error of the worker: /)
  t.match(logs[7], /Z rate cap: /)
  t.strictSame(errors, ['not foreseen'])
})

t.test('the job of a delivery that is due runs now, whatever became of it', async t => {
  const { queue, first, bulk, openWorker } = await open(t)
  const worked: string[] = []
  const letGo: (() => void)[] = []
  const ends: Record<string, DeliveryEnd> = {
    '1': DELIVERED,
    '2': { kind: 'failed', reason: 'x' },
    '3': { kind: 'wait', reason: 'x', forMs: 3_600_000 },
    '4': { kind: 'refused', reason: 'x', retryInMs: 3_600_000 },
  }
  const worker = await openWorker({
    process: async ({ deliveryId }) => {
      const isFirst = !worked.includes(deliveryId)
      worked.push(deliveryId)
      if (deliveryId === '5') await new Promise<void>(resolve => letGo.push(resolve))
      return isFirst ? (ends[deliveryId] ?? DELIVERED) : DELIVERED
    },
  })
  const deliveries = [1n, 2n, 3n, 4n, 5n].map(id => makeDeliveryRef(id))
  await queue.enqueueDeliveries(deliveries)
  worker.start()
  const counts = () => first.getJobCounts('active', 'completed', 'failed', 'delayed')
  const ended = { active: 1, completed: 1, failed: 1, delayed: 2 }
  await waitFor(async () => JSON.stringify(await counts()) === JSON.stringify(ended), { what: 'all ends' })
  await queue.enqueueDeliveries(deliveries)
  t.match(await counts(), ended, 'a job that is there is not added again')

  const lost = makeDeliveryRef(6n)
  const inHand = await queue.promoteDeliveries(
    asBulk([...deliveries, lost].map(d => ({ ...d, triesLeft: 2 }))),
  )
  const ids = inHand.map(({ id }) => id)
  t.strictSame(ids, [5n], 'the one that a worker has in hand is left alone')
  await waitFor(() => worked.length === 10, { what: 'the others' })
  for (const go of letGo) go()
  await waitFor(async () => (await counts()).active === 0, { what: 'the last' })
  t.strictSame(worked.toSorted().join(), '1,1,2,2,3,3,4,4,5,6')
  t.match(await counts(), { completed: 3, failed: 0, delayed: 0 })
  const [again, once] = [await bulk.getCompleted(), await first.getCompleted()]
  t.strictSame(again.map(job => [job.data.deliveryId, job.opts.attempts]).sort(), [
    ['1', 2],
    ['2', 2],
    ['6', 2],
  ])
  t.strictSame(once.map(job => [job.data.deliveryId, job.attemptsMade]).sort(), [
    ['3', 1],
    ['4', 2],
    ['5', 1],
  ])

  await first.pause()
  const waiting = makeDeliveryRef(7n)
  await queue.enqueueDeliveries([waiting])
  t.strictSame(await queue.promoteDeliveries(asBulk([waiting])), [])
  t.equal((await first.getWaitingCount()) + (await bulk.getWaitingCount()), 1, 'a waiting job has no double')
})

t.test('what just happened waits for nothing that comes together or again', async t => {
  const { queue, openWorker } = await open(t)
  const letGo: (() => void)[] = []
  const begun: string[] = []
  const worker = await openWorker({
    process: async ({ deliveryId, webhookId }) => {
      begun.push(deliveryId)
      if (webhookId === '1') await new Promise<void>(resolve => letGo.push(resolve))
      return DELIVERED
    },
  })
  t.teardown(() => {
    for (const go of letGo) go()
  })
  const slow = Array.from({ length: 100 }, (_, n) => makeDeliveryRef(BigInt(n)))
  await queue.enqueueDeliveries(asBulk(slow))
  worker.start()
  await waitFor(() => begun.length === 1, { what: 'the slots of what comes together' })
  await queue.enqueueDeliveries([makeDeliveryRef(400n, { webhookId: 2n })])
  await waitFor(() => begun.includes('400'), { what: 'a first attempt beside 100 that hang' })
  t.strictSame(worker.progress().bulk, { active: 1, started: 1, slots: 1 })
})
