// The indexer as an intake: waits for the lease, follows the chain while it holds the lease, then waits again.
import { RevisionConflictError, type Bus, type KeyValue } from '@payment-tracking/bus'
import type { Intake, Logger } from '@payment-tracking/runtime'
import { setTimeout as sleep } from 'node:timers/promises'
import { FundsReader, type FundsSettings } from './funds/funds-reader.js'
import { KnownOthers } from './funds/other-accounts.js'
import type { IndexerMetrics } from './indexer-metrics.js'
import { Lease } from './lease.js'
import { NodeError } from './nodes/node-error.js'
import { NodePool } from './nodes/node-pool.js'
import { ChainNode } from './nodes/open-node.js'
import { listenToNode } from './nodes/chain-signals.js'
import { nameNodes, readUrls, socketUrls } from './nodes/node-urls.js'
import { Waits } from './nodes/waits.js'
import { WaitReport } from './publish/wait-report.js'
import { Publisher } from './publish/publisher.js'
import { CheckpointMismatchError, CheckpointStore } from './scan/checkpoint.js'
import { Follower, type FollowerSettings } from './scan/follower.js'

export interface IndexerSettings extends FollowerSettings, FundsSettings {
  fundsCheck: boolean
  rpcUrls: string
  wsUrls: string | undefined
}

const AGAIN_MS = 1_000

export class Indexer implements Intake {
  readonly #stop = new AbortController()
  readonly #lease: Lease
  readonly #others = new KnownOthers()
  #running: Promise<void> | undefined

  constructor(
    private readonly settings: IndexerSettings,
    private readonly bus: Bus,
    private readonly keys: KeyValue,
    private readonly metrics: IndexerMetrics,
    private readonly log: Logger,
    private readonly onFatal: (error: Error) => void,
  ) {
    this.#lease = new Lease(keys, log)
  }

  start(): void {
    this.#running ??= this.#run()
  }

  /** Stops following and releases the lease. The successor publishes the rest. */
  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#running
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop
    while (!signal.aborted) {
      const tenure = new AbortController()
      const ended = AbortSignal.any([signal, tenure.signal])
      let mayRelease = true
      const onLost = (reason: string) => {
        mayRelease = false
        this.log.warn({ reason }, 'indexer.lease-lost')
        tenure.abort()
      }
      try {
        await this.#lease.acquire(signal)
      } catch {
        return
      }
      this.metrics.leading(true)
      this.#lease.keep(ended, onLost)
      await this.#followUntil(ended, onLost)
      this.metrics.leading(false)
      if (mayRelease) await this.#lease.release()
      await sleep(AGAIN_MS, undefined, { signal }).catch(() => {})
    }
  }

  /** Follows the chain, again after each interruption: a rival would fare no better, so the lease stays here. */
  async #followUntil(ended: AbortSignal, onLost: (reason: string) => void): Promise<void> {
    while (!ended.aborted) {
      const attempt = new AbortController()
      try {
        await this.#follow(AbortSignal.any([ended, attempt.signal]))
      } catch (err) {
        if (!ended.aborted) this.#report(err as Error, onLost)
      }
      attempt.abort()
      await sleep(AGAIN_MS, undefined, { signal: ended }).catch(() => {})
    }
  }

  #report(err: Error, onLost: (reason: string) => void): void {
    if (err instanceof CheckpointMismatchError || err instanceof ForeignChainError) return this.onFatal(err)
    this.log.warn({ err }, 'indexer.interrupted')
    // Only the holder writes: either another indexer has the lease, or the answer of a write was lost.
    if (err instanceof RevisionConflictError) onLost('another process has written the checkpoint')
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const { settings, bus, metrics, log } = this
    const urls = readUrls(settings.rpcUrls)
    const names = nameNodes(urls)
    const nodes = urls.map((url, at) => {
      const name = names[at]!
      const onRequest = (method: string, result: string) => metrics.request(name, method, result)
      return new ChainNode({ url, name, onRequest })
    })
    signal.addEventListener('abort', () => nodes.forEach(node => void node.close()), { once: true })
    const waits = new Waits(settings.patienceMs, log)
    metrics.watchWaits(waits)
    const pool = new NodePool(nodes, log, signal, waits)
    const publisher = new Publisher(bus, settings, metrics, signal)
    const checkpoints = new CheckpointStore(this.keys)
    const follower = new Follower({
      settings,
      bus,
      pool,
      publisher,
      checkpoints,
      keys: this.keys,
      metrics,
      log,
      signal,
    })
    const genesisHash = await readGenesis(pool)
    await warnOfUnfitNodes(pool, log)
    const sockets = socketUrls(settings)
    const listening = sockets.map((url, at) =>
      listenToNode({
        url,
        name: nameNodes(sockets)[at]!,
        programId: settings.programId,
        commitment: settings.commitment,
        onTransaction: (signature, slot) => follower.onTransaction(signature, slot),
        log,
        signal,
      }),
    )
    // In a pool of their own: a node that limits these calls is still asked for transactions.
    const funds = new FundsReader({
      settings,
      bus,
      pool: new NodePool(nodes, log, signal),
      others: this.#others,
      keys: this.keys,
      metrics,
      log,
      signal,
    })
    const reading = settings.fundsCheck ? [funds.run()] : []
    const report = new WaitReport(this.keys, waits, log)
    report.start()
    try {
      await follower.run(genesisHash)
    } finally {
      await report.stop()
    }
    await Promise.all([...listening, ...reading])
  }
}

/** The nodes belong to different chains: mainnet and devnet in one list. */
class ForeignChainError extends NodeError {}

/** @throws ForeignChainError when nodes that answer belong to different chains */
async function readGenesis(pool: NodePool): Promise<string> {
  const answers = await pool.askAll(node => node.genesisHash())
  const first = answers[0]
  if (!first) return pool.ask(node => node.genesisHash())
  const other = answers.find(({ answer }) => answer !== first.answer)
  if (other) {
    throw new ForeignChainError(
      'unfit',
      `SOLANA_RPC_URLS names nodes of different chains: ${first.node.name} has the genesis ${first.answer}, ` +
        `${other.node.name} has ${other.answer}`,
    )
  }
  return first.answer
}

/** Reports unsuitable nodes before the indexer reads anything. */
async function warnOfUnfitNodes(pool: NodePool, log: Logger): Promise<void> {
  const slots = await pool.askAll(node => node.slot('finalized'))
  const highest = Math.max(...slots.map(({ answer }) => answer))
  for (const { node, answer } of slots) {
    const lagSlots = highest - answer
    if (lagSlots > WARN_LAG_SLOTS) log.warn({ node: node.name, lagSlots }, 'indexer.node-lagging')
  }
  if (pool.size === 1) {
    const cure = 'name two or more in SOLANA_RPC_URLS: what one node loses another still lists'
    log.info({ node: pool.nodes[0]!.name, cure }, 'indexer.one-node-alone')
  }
}

const WARN_LAG_SLOTS = 100
