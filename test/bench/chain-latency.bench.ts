import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { PaymentMessage } from '@payment-tracking/contracts'
import { openSimulatedNode, SimulatedChain } from '@payment-tracking/simulator'
import { createDatabase, startService, waitFor } from '@payment-tracking/testkit'
import { measureOf, percentile, type Bench } from './bench.js'
import { paymentCall, PROGRAM, trackingIdOf } from './chain-load.js'
import { openSocketLoad } from './socket-load.js'

const POLICIES = 50
const PER_SECOND = 20

export const bench: Bench = {
  name: 'chain-latency',
  about: `confirmed on the chain → on the client's socket, early lane, ${PER_SECOND} payments a second`,
  async run(context) {
    const { servers } = context
    const seconds = context.quick ? 1 : 30
    const database = await createDatabase(context, { serverUrl: servers.databaseUrl })
    const chain = new SimulatedChain({ programs: [PROGRAM], confirmationSlots: 1 })
    const node = await openSimulatedNode(chain)
    context.teardown(() => node.close())
    const name = `LATENCY_${randomBytes(4).toString('hex')}`
    const stream = { STREAM_NAME: name, SUBJECT_PREFIX: name.toLowerCase(), NATS_URL: servers.natsUrl }
    const common = {
      DATABASE_URL: database.url,
      REDIS_URL: servers.redisUrl,
      ENVIRONMENT: name.toLowerCase().replace('_', '-'),
    }
    await startService(context, 'ingest', { ...common, ...stream })
    const realtime = await startService(context, 'realtime', {
      ...common,
      PORT: '0',
      MAX_CONNECTIONS_PER_ADDRESS: '1000000',
      DRAIN_WINDOW_MS: '0',
    })
    const { port } = await realtime.waitForLog('service.listening')
    const indexer = await startService(context, 'indexer', {
      ...stream,
      SOLANA_RPC_URLS: node.url,
      INDEXER_COMMITMENT: 'confirmed',
    })
    await indexer.waitForLog('indexer.socket-open')
    const load = await openSocketLoad(`http://127.0.0.1:${String(port)}`, POLICIES, trackingIdOf)
    context.teardown(() => load.close())
    const confirmedAt = new Map<string, number>()
    const delays: number[] = []
    for (const socket of load.sockets) {
      socket.on('message', (bytes: Buffer) => {
        const text = bytes.toString()
        if (!text.startsWith('42["payment"')) return
        const [, { data }] = JSON.parse(text.slice(2)) as [string, PaymentMessage]
        delays.push(performance.now() - confirmedAt.get(data.signature)!)
      })
    }
    const total = seconds * PER_SECOND
    const startedAt = performance.now()
    for (let n = 0; n < total; n++) {
      const earlyMs = startedAt + (n * 1_000) / PER_SECOND - performance.now()
      if (earlyMs > 0) await sleep(earlyMs)
      const { signature } = chain.execute([paymentCall(n % POLICIES, Math.floor(n / POLICIES) + 1)])
      chain.advance()
      // The next slot confirms the block of the payment, and the node tells of it.
      confirmedAt.set(signature, performance.now())
    }
    await waitFor(() => delays.length >= total, { what: 'every payment on its socket', timeoutMs: 60_000 })
    return [0.5, 0.99].map(share => ({
      subject: `confirmed → on the client's socket, p${share * 100}`,
      unit: 'ms',
      largerIsBetter: false,
      measured: measureOf([percentile(delays, share)]),
      note: 'goal: p99 250 ms; one node, ingest, Postgres, Redis and realtime on this machine',
    }))
  },
}
