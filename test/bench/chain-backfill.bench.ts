import { randomBytes } from 'node:crypto'
import { openSimulatedNode } from '@payment-tracking/simulator'
import { startService, waitFor } from '@payment-tracking/testkit'
import { measureOf, type Bench } from './bench.js'
import { fillChain } from './chain-load.js'
import { cpuMicroseconds, residentKib } from './socket-load.js'

export const bench: Bench = {
  name: 'chain-backfill',
  about: 'the indexer reads the history of the program from one node, in this process, and publishes it',
  async run(context) {
    const payments = context.quick ? 300 : 20_000
    const chain = fillChain(payments)
    context.say(`${payments} payments are on the chain`)
    const node = await openSimulatedNode(chain)
    context.teardown(() => node.close())
    const rates: number[] = []
    const cpu: number[] = []
    let memoryKib = 0
    for (let round = 0; round < (context.quick ? 1 : 3); round++) {
      const stream = `BACKFILL_${randomBytes(4).toString('hex')}`
      const startedAt = performance.now()
      const indexer = await startService(context, 'indexer', {
        NATS_URL: context.servers.natsUrl,
        STREAM_NAME: stream,
        SUBJECT_PREFIX: stream.toLowerCase(),
        SOLANA_RPC_URLS: node.url,
        INDEXER_CONCURRENCY: '32',
      })
      const readyAt = performance.now()
      const before = cpuMicroseconds(indexer.pid)
      const sampling = setInterval(() => (memoryKib = Math.max(memoryKib, residentKib(indexer.pid))), 100)
      const line = await waitFor(() => indexer.logs.find(({ msg }) => msg === 'indexer.caught-up'), {
        what: 'the end of the backfill',
        timeoutMs: 600_000,
      }).finally(() => clearInterval(sampling))
      const seconds = (performance.now() - readyAt) / 1_000
      rates.push(payments / seconds)
      cpu.push((cpuMicroseconds(indexer.pid) - before) / payments)
      context.say(
        `${Math.round(payments / seconds)} transactions/s, started in ${Math.round(readyAt - startedAt)} ms, ` +
          `through slot ${String(line.through)}`,
      )
      await indexer.stop()
    }
    return [
      {
        subject: `backfill of ${payments.toLocaleString('en')} transactions`,
        unit: 'transactions/s',
        largerIsBetter: true,
        measured: measureOf(rates),
        note: 'goal: 2,000 a second on two cores; the node shares them with the indexer and NATS',
      },
      {
        subject: 'backfill, CPU of the indexer a transaction',
        unit: 'µs',
        largerIsBetter: false,
        measured: measureOf(cpu),
      },
      {
        subject: 'backfill, most memory of the indexer',
        unit: 'MiB',
        largerIsBetter: false,
        measured: measureOf([memoryKib / 1_024]),
        note: 'goal: 300 MiB',
      },
    ]
  },
}
