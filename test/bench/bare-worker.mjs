// The limit of the rows of webhooks: a worker of BullMQ as it comes, whose jobs post bytes that were signed beforehand.
import { createRequire } from 'node:module'

const requireOf = of => createRequire(new URL(`../../${of}/package.json`, import.meta.url))
// The worker's own, not those that some tool brought to the top.
const { Pool } = requireOf('services/webhook-worker')('undici')
const { Queue, Worker } = requireOf('packages/queue')('bullmq')
const { Redis } = requireOf('packages/queue')('ioredis')

const pools = new Map()
const poolOf = origin => {
  if (!pools.has(origin)) pools.set(origin, new Pool(origin, { connections: 64, pipelining: 1 }))
  return pools.get(origin)
}

process.on('message', async ({ redisUrl, name, urls, count, concurrency, headers, body }) => {
  const connection = new Redis(redisUrl, { maxRetriesPerRequest: null })
  const queue = new Queue(name, { connection })
  const jobs = Array.from({ length: count }, (_, n) => ({
    name: 'post',
    data: { url: urls[n % urls.length] },
  }))
  for (let start = 0; start < count; start += 500) await queue.addBulk(jobs.slice(start, start + 500))
  const post = async ({ data }) => {
    const { origin, pathname } = new URL(data.url)
    const response = await poolOf(origin).request({ path: pathname, method: 'POST', headers, body })
    await response.body.text()
  }
  const worker = new Worker(name, post, {
    connection,
    concurrency,
    autorun: false,
    removeOnComplete: { count: 1_000 },
  })
  let left = count
  const ended = new Promise(resolve => worker.on('completed', () => --left === 0 && resolve()))
  void worker.run()
  await ended
  await worker.close()
  await queue.close()
  connection.disconnect()
  process.send({})
})
process.on('disconnect', () => process.exit())
