// How a connection finds its node of a Redis Cluster: ioredis' own extension point for that, as its Sentinels use it.
//
// ioredis' Cluster client is not used. When a node redirects a call or fails, that client sends the call to another node,
// and the caller does not notice. But the other node may lack writes that the first node acknowledged, and the seats
// (packages/redis/src/seats) must notice the change. Here a connection belongs to one node until the connection breaks. A
// redirection breaks it, and the next connection finds the node that serves the key by then.
import { connect as connectPlain } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import { AbstractConnector, Redis, type RedisOptions } from 'ioredis'
import { REDIS_RECONNECT, type ClusterAddress } from './redis.js'

/** Which node a connection leads to: the primary that serves a key, or any node, such as for pub/sub. */
export type RedisRoute = { key: string } | 'any node'

interface ClusterNode {
  host: string
  port: number
}

/** What a node knows of the cluster. */
interface ClusterView {
  nodes: ClusterNode[]
  /** the primary that serves the key; undefined while nobody does */
  owner: ClusterNode | undefined
}

/** A node that hangs must not keep the others from being asked. */
const ASK_WITHIN_MS = 1_500
const DISCONNECT_MS = 2_000

const isSame = (one: ClusterNode, other: ClusterNode | undefined): boolean =>
  one.host === other?.host && one.port === other.port

const shuffled = <T>(items: readonly T[]): T[] =>
  items
    .map(item => ({ item, at: Math.random() }))
    .sort((one, other) => one.at - other.at)
    .map(({ item }) => item)

/** @throws what the client throws when the node is away, hangs, or is no node of a cluster */
async function askNode(node: ClusterNode, address: ClusterAddress, route: RedisRoute): Promise<ClusterView> {
  const redis = new Redis({
    ...node,
    ...credentialsOf(address),
    lazyConnect: true,
    enableReadyCheck: false,
    retryStrategy: () => null,
    maxRetriesPerRequest: 0,
  })
  redis.on('error', () => {})
  const ask = async (): Promise<ClusterView> => {
    await redis.connect()
    // Ranges of slots: the first and the last slot, the primary, the replicas.
    const ranges = await redis.cluster('SLOTS')
    const slot = route === 'any node' ? undefined : await redis.cluster('KEYSLOT', route.key)
    // A node names itself without a host while it knows none.
    const read = ([host, port]: [string, number, ...unknown[]]) => ({ host: host || node.host, port })
    const nodes = ranges.flatMap(([, , ...each]) => each.map(read))
    const range = ranges.find(([first, last]) => slot !== undefined && first <= slot && slot <= last)
    return { nodes, owner: range && read(range[2]!) }
  }
  const late = new AbortController()
  try {
    return await Promise.race([
      ask(),
      sleep(ASK_WITHIN_MS, undefined, { signal: late.signal }).then(() => {
        throw new Error(`the node ${node.host}:${node.port} of the Redis Cluster does not answer`)
      }),
    ])
  } finally {
    late.abort()
    redis.disconnect()
  }
}

const credentialsOf = ({ username, password, tls }: ClusterAddress) => ({
  ...(username !== undefined && { username }),
  ...(password !== undefined && { password }),
  ...(tls && { tls }),
})

/**
 * Finds the node by asking the nodes that are known, in random order. A primary must say itself that it serves the key:
 * another node's knowledge may be old, and the primary may hang.
 */
function buildFinder(address: ClusterAddress, route: RedisRoute): () => Promise<ClusterNode> {
  let learned: ClusterNode[] = []
  return async () => {
    let problem: unknown = new Error('no node of the Redis Cluster serves the key')
    const known = [
      ...address.nodes,
      ...learned.filter(node => !address.nodes.some(each => isSame(node, each))),
    ]
    for (const node of shuffled(known)) {
      try {
        const { nodes, owner } = await askNode(node, address, route)
        if (nodes.length > 0) learned = nodes
        if (route === 'any node') return node
        if (!owner) continue
        const said = isSame(owner, node) ? owner : (await askNode(owner, address, route)).owner
        if (isSame(owner, said)) return owner
      } catch (error) {
        problem = error
      }
    }
    throw problem
  }
}

/** For `Connector` of ioredis' options. Connections that are made of the same options share what was learned. */
export function buildClusterConnector(
  address: ClusterAddress,
  route: RedisRoute,
): NonNullable<RedisOptions['Connector']> {
  const findNode = buildFinder(address, route)

  return class ClusterConnector extends AbstractConnector {
    #waiting = new AbortController()
    #ended: unknown

    constructor() {
      super(DISCONNECT_MS)
    }

    /** Tries without an end, because ioredis gives a connection up when this rejects. */
    override async connect(emit: (type: string, error: Error) => void) {
      this.connecting = true
      this.#waiting = new AbortController()
      for (let attempt = 1; ; attempt++) {
        const node = await findNode().catch((error: unknown) => {
          emit('error', error as Error)
          return undefined
        })
        if (node && this.connecting) return this.#open(node)
        const delayMs = REDIS_RECONNECT.retryStrategy(attempt)
        if (this.connecting) await sleep(delayMs, undefined, { signal: this.#waiting.signal }).catch(() => {})
        // What ioredis' own connectors say when the client was closed meanwhile.
        if (!this.connecting) throw new Error('Connection is closed.')
      }
    }

    /** Each of many commands that a node refuses disconnects. */
    override disconnect(): void {
      this.#waiting.abort()
      this.connecting = false
      if (this.#ended === this.stream) return
      this.#ended = this.stream
      super.disconnect()
    }

    #open({ host, port }: ClusterNode) {
      this.stream = address.tls ? connectTls({ ...address.tls, host, port }) : connectPlain({ host, port })
      this.stream.once('error', (error: Error) => (this.firstError = error))
      return this.stream
    }
  }
}
