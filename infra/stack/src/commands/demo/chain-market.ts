// The demo on a simulated chain: a virtual machine executes the market's transactions, a simulated node serves them,
// and the demo's own indexer follows that node. The demo needs no network. Only a development checkout contains the
// simulator.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { setTimeout as sleep } from 'node:timers/promises'
import { openBus } from '@payment-tracking/bus'
import { DEFAULT_PROGRAM_ID, DEFAULT_STREAM } from '@payment-tracking/contracts'
import { createLogger } from '@payment-tracking/runtime'
import { FOLLOW_PARENT } from '../../launcher/followers.js'
import { findFreePort } from '../../servers/ports.js'
import type { ChainMessage } from '../../chain/build-chain.js'

const SLOT_MS = 100
/** The checkpoint of the demo's indexer, apart from the checkpoint of a real chain. */
const BUCKET = 'INDEXER_DEMO'

export interface ChainMarket {
  /** Executes the event's instruction. @returns the signature of its transaction */
  execute(message: ChainMessage): string
  close(): Promise<void>
}

export interface ChainMarketOptions {
  natsUrl: string
  /** the user's settings of the indexer */
  env: NodeJS.ProcessEnv
}

/** @throws when the simulator is not installed or the stack follows a real chain */
export async function openChainMarket({ natsUrl, env }: ChainMarketOptions): Promise<ChainMarket> {
  if (env.SOLANA_RPC_URLS?.trim())
    throw new Error('--chain plays on a chain of its own: run npm start without SOLANA_RPC_URLS for it')
  const { emitEvent, openSimulatedNode, SimulatedChain } = await importSimulator()
  const program = env.PROGRAM_ID?.trim() || DEFAULT_PROGRAM_ID
  // A later demo uses later slots, as the publisher does.
  const firstSlot = Math.floor(Date.now() / 400)
  const firstBlockTime = Math.floor(Date.now() / 1_000)
  const chain = new SimulatedChain({
    programs: [program],
    firstSlot,
    firstBlockTime,
    confirmationSlots: 1,
    finalitySlots: 20,
  })
  const node = await openSimulatedNode(chain)
  await forgetLastDemo(natsUrl, env.STREAM_NAME?.trim() || DEFAULT_STREAM)
  const ticking = setInterval(() => chain.advance(), SLOT_MS)
  const indexer = await startIndexer({ ...env, NATS_URL: natsUrl, SOLANA_RPC_URLS: node.url })
  return {
    execute: ({ event_name, data }) => chain.execute([emitEvent(program, event_name, data)]).signature,
    async close() {
      clearInterval(ticking)
      // Every payment becomes final before the node stops.
      chain.finalize()
      const looks = node.calls.get('getSlot') ?? 0
      for (let waited = 0; waited < 5_000 && (node.calls.get('getSlot') ?? 0) < looks + 2; waited += 50)
        await sleep(50)
      await indexer.stop()
      await node.close()
    },
  }
}

/** Each demo has a new chain, so the checkpoint of the previous demo does not apply. */
async function forgetLastDemo(natsUrl: string, stream: string): Promise<void> {
  const log = createLogger('demo', { LOG_LEVEL: 'error', ENVIRONMENT: 'production' })
  const bus = await openBus({ NATS_URL: natsUrl }, 'demo', log)
  try {
    const keys = await bus.openKeyValue(BUCKET, stream)
    for (const key of ['lease', 'checkpoint']) {
      const entry = await keys.get(key)
      if (entry) await keys.set(key, '', entry.revision)
    }
  } finally {
    await bus.close()
  }
}

async function importSimulator(): Promise<typeof import('@payment-tracking/simulator')> {
  try {
    return await import('@payment-tracking/simulator')
  } catch (cause) {
    throw new Error('--chain needs the simulator: run npm ci in a checkout of the repository', { cause })
  }
}

async function startIndexer(env: NodeJS.ProcessEnv) {
  const main = fileURLToPath(new URL('../../../../../services/indexer/dist/service.js', import.meta.url))
  if (!existsSync(main)) throw new Error('the indexer is not built: run npm start first')
  const child = spawn(process.execPath, [...FOLLOW_PARENT, main], {
    env: {
      ...env,
      INDEXER_COMMITMENT: 'confirmed',
      INDEXER_POLL_MS: '200',
      MANAGEMENT_HOST: '127.0.0.1',
      MANAGEMENT_PORT: String(await findFreePort()),
      INDEXER_BUCKET: BUCKET,
    },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    detached: true,
  })
  const ended = new Promise<void>(resolve => child.once('exit', () => resolve()))
  return {
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}
