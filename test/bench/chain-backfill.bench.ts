import { randomBytes } from 'node:crypto'
import { createRequire } from 'node:module'
import { startService, waitFor } from '@payment-tracking/testkit'
import { measureOf, type Bench, type BenchContext } from './bench.js'
import { PROGRAM } from './chain-load.js'
import { cpuMicroseconds } from './cpu.js'
import { openChainNode, type ChainNode } from './open-chain-node.js'
import { residentKib } from './socket-load.js'

const AT_ONCE = 32

interface Client {
  request(options: {
    path: string
    method: 'POST'
    headers: Record<string, string>
    body: string
  }): Promise<{ body: { text(): Promise<string> } }>
  destroy(): Promise<void>
}

/** The indexer's own undici, not the one that some tool brought to the top. */
const { Pool } = createRequire(new URL('../../services/indexer/package.json', import.meta.url))('undici') as {
  Pool: new (url: string, options: { connections: number }) => Client
}

type Ask = (method: string, params: unknown[]) => Promise<string>

/** A client that only asks: what the node gives to anybody. */
function openClient(context: BenchContext, url: string): Ask {
  const pool = new Pool(url, { connections: AT_ONCE })
  context.teardown(() => pool.destroy())
  const headers = { 'content-type': 'application/json' }
  return async (method, params) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    return (await pool.request({ path: '/', method: 'POST', headers, body })).body.text()
  }
}

async function listAll(ask: Ask): Promise<string[]> {
  const found: string[] = []
  for (let before: string | undefined; ;) {
    const text = await ask('getSignaturesForAddress', [PROGRAM, { limit: 1_000, before }])
    const { result } = JSON.parse(text) as { result: { signature: string }[] }
    if (result.length === 0) return found
    found.push(...result.map(({ signature }) => signature))
    before = found.at(-1)
  }
}

/** Asks for every transaction and reads nothing of the answers. @returns transactions a second */
async function measureBareClient(ask: Ask, signatures: readonly string[]): Promise<number> {
  const startedAt = performance.now()
  let next = 0
  const work = async () => {
    for (let at = next++; at < signatures.length; at = next++)
      await ask('getTransaction', [signatures[at]!, { maxSupportedTransactionVersion: 1 }])
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return (signatures.length * 1_000) / (performance.now() - startedAt)
}

interface Backfill {
  perSecond: number
  indexerCpu: number
  nodeCpu: number
  memoryMib: number
}

async function measureIndexer(context: BenchContext, node: ChainNode, payments: number): Promise<Backfill> {
  const stream = `BACKFILL_${randomBytes(4).toString('hex')}`
  const indexer = await startService(context, 'indexer', {
    NATS_URL: context.servers.natsUrl,
    STREAM_NAME: stream,
    SUBJECT_PREFIX: stream.toLowerCase(),
    SOLANA_RPC_URLS: node.url,
    INDEXER_CONCURRENCY: String(AT_ONCE),
  })
  // The work begins before the service is ready. The log's own times leave the start out.
  const cpuBefore = cpuMicroseconds(node.pid)
  let memoryKib = 0
  const sampling = setInterval(() => (memoryKib = Math.max(memoryKib, residentKib(indexer.pid))), 100)
  const timeOf = (msg: string) => indexer.logs.find(line => line.msg === msg)?.time
  await waitFor(() => timeOf('indexer.caught-up'), {
    what: 'the end of the backfill',
    timeoutMs: 900_000,
  }).finally(() => clearInterval(sampling))
  const ms = at(timeOf('indexer.caught-up')) - at(timeOf('indexer.following'))
  const used = {
    indexerCpu: cpuMicroseconds(indexer.pid) / payments,
    nodeCpu: (cpuMicroseconds(node.pid) - cpuBefore) / payments,
  }
  await indexer.stop()
  return { perSecond: (payments * 1_000) / ms, ...used, memoryMib: memoryKib / 1_024 }
}

/** A log line's time, in milliseconds. */
const at = (time: unknown): number => (typeof time === 'number' ? time : Date.parse(String(time)))

export const bench: Bench = {
  name: 'chain-backfill',
  about: 'the indexer reads the history of the program from a node in its own process, and publishes it',
  async run(context) {
    const payments = context.quick ? 300 : 20_000
    const node = await openChainNode(context, payments)
    context.say(`${payments} payments are on the chain`)
    const ask = openClient(context, node.url)
    const signatures = await listAll(ask)
    const bare: number[] = []
    const backfills: Backfill[] = []
    for (let round = 0; round < (context.quick ? 1 : 3); round++) {
      bare.push(await measureBareClient(ask, signatures))
      const backfill = await measureIndexer(context, node, payments)
      backfills.push(backfill)
      context.say(
        `${Math.round(backfill.perSecond)} transactions/s, a bare client ${Math.round(bare.at(-1)!)}; CPU a ` +
          `transaction ${Math.round(backfill.indexerCpu)} µs, of the node ${Math.round(backfill.nodeCpu)} µs`,
      )
    }
    const of = (figure: keyof Backfill) => measureOf(backfills.map(each => each[figure]))
    return [
      {
        subject: `backfill of ${payments.toLocaleString('en')} transactions`,
        unit: 'transactions/s',
        largerIsBetter: true,
        measured: of('perSecond'),
        limit: { name: 'a client that only asks the same node', measured: measureOf(bare) },
        note: 'goal: 2,000 a second; the node, NATS and the indexer share two cores',
      },
      {
        subject: 'backfill, CPU of the indexer a transaction, its start included',
        unit: 'µs',
        largerIsBetter: false,
        measured: of('indexerCpu'),
      },
      {
        subject: 'backfill, CPU of the simulated node a transaction',
        unit: 'µs',
        largerIsBetter: false,
        measured: of('nodeCpu'),
      },
      {
        subject: 'backfill, most memory of the indexer',
        unit: 'MiB',
        largerIsBetter: false,
        measured: of('memoryMib'),
        note: 'goal: 300 MiB',
      },
    ]
  },
}
