import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { createDatabase, startService, waitFor } from '@payment-tracking/testkit'
import { measureOf, percentile, type Bench } from './bench.js'
import { trackingIdOf } from './chain-load.js'
import { openChainNode } from './open-chain-node.js'
import { startPod } from './realtime-pods.js'
import { openSocketLoad } from './socket-load.js'

const POLICIES = 50
const PER_SECOND = 20

export const bench: Bench = {
  name: 'chain-latency',
  about: `confirmed on the chain → on the client's socket, confirmed mode, ${PER_SECOND} payments a second`,
  async run(context) {
    const { servers } = context
    const total = (context.quick ? 2 : 60) * PER_SECOND
    const database = await createDatabase(context, { serverUrl: servers.databaseUrl })
    const arrivedAt = new Map<string, number>()
    const confirmedAt = new Map<string, number>()
    const node = await openChainNode(context, 0)
    const name = `LATENCY_${randomBytes(4).toString('hex')}`
    const stream = { STREAM_NAME: name, SUBJECT_PREFIX: name.toLowerCase(), NATS_URL: servers.natsUrl }
    const common = {
      DATABASE_URL: database.url,
      REDIS_URL: servers.redisUrl,
      ENVIRONMENT: name.toLowerCase().replace('_', '-'),
    }
    await startService(context, 'ingest', { ...common, ...stream })
    const { url } = await startPod(context, common)
    const indexer = await startService(context, 'indexer', {
      ...stream,
      SOLANA_RPC_URLS: node.url,
      INDEXER_COMMITMENT: 'confirmed',
    })
    await indexer.waitForLog('indexer.socket-open')
    await indexer.waitForLog('indexer.caught-up')
    const load = await openSocketLoad(url, POLICIES, trackingIdOf)
    context.teardown(() => load.close())
    load.onPayment(({ signature }) => {
      arrivedAt.set(signature, performance.timeOrigin + performance.now())
    })
    node.onConfirmed(({ signature, confirmedAt: at }) => confirmedAt.set(signature, at))
    const startedAt = performance.now()
    for (let n = 0; n < total; n++) {
      const earlyMs = startedAt + (n * 1_000) / PER_SECOND - performance.now()
      if (earlyMs > 0) await sleep(earlyMs)
      node.pay({ policy: n % POLICIES, recordId: Math.floor(n / POLICIES) + 1 })
    }
    await waitFor(() => arrivedAt.size >= total, {
      what: 'every payment on its socket',
      timeoutMs: 60_000,
    }).catch((error: Error) => {
      context.say(`${confirmedAt.size} of ${total} are confirmed, ${arrivedAt.size} arrived`)
      context.say(
        indexer.logs
          .slice(-10)
          .map(line => JSON.stringify(line))
          .join('\n'),
      )
      throw error
    })
    const delays = [...arrivedAt].map(([signature, at]) => at - confirmedAt.get(signature)!)
    return [0.5, 0.99].map(share => ({
      subject: `confirmed → on the client's socket, p${share * 100}`,
      unit: 'ms',
      largerIsBetter: false,
      measured: measureOf([percentile(delays, share)]),
      note: 'goal: p99 250 ms; a node in its own process, ingest, Postgres, Redis and realtime on this machine',
    }))
  },
}
