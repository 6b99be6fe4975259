import type { LookupFunction } from 'node:net'
import { buildConnector, Pool } from 'undici'
import { boundAnswers } from './bound-answers.js'
import type { EgressProxy } from './egress-proxy.js'
import type { PinnedAddress } from './resolve-target.js'

/** Keeps connections between requests, so that a busy endpoint needs one TLS handshake. */
export interface Connections {
  /** A pool that connects only to these addresses; SNI and Host stay the name. */
  to(origin: string, addresses: readonly PinnedAddress[]): Pool
  readonly pools: number
  close(): Promise<void>
}

const MAX_POOLS = 1_000
/** A pool that no request has asked for this long is dropped. Its connections are idle, or end with their requests. */
const IDLE_POOL_MS = 30_000
/** Shorter than the 5 s for which most servers keep idle connections: a request on a closing connection fails. */
const KEEP_ALIVE_MS = 3_000

/**
 * Answers the checked addresses to every question, beginning with any: so the connections of a name spread over its servers.
 * Never called for literal addresses, which were checked themselves.
 */
function pinnedLookup(addresses: readonly PinnedAddress[]): LookupFunction {
  return (_host, options, callback) => {
    const first = Math.floor(Math.random() * addresses.length)
    const [one, ...others] = [...addresses.slice(first), ...addresses.slice(0, first)]
    if (options.all) callback(null, [one!, ...others])
    else callback(null, one!.address, one!.family)
  }
}

/**
 * @param options.trustOnly certificates instead of the system's; tests use their own certificates
 * @param options.idlePoolMs how long a pool is kept for its next request
 */
export function openConnections(options: {
  timeoutMs: number
  trustOnly?: string
  idlePoolMs?: number
  /** the way out, for hosts that are not reached directly */
  proxy?: EgressProxy
}): Connections {
  // Insertion order is order of use: the first pool is the least recently used pool.
  const pools = new Map<string, { pool: Pool; usedAtMs: number }>()
  const drop = (key: string, { pool }: { pool: Pool }) => {
    pools.delete(key)
    void pool.close()
  }
  const idlePoolMs = options.idlePoolMs ?? IDLE_POOL_MS
  const dropIdle = () => {
    const before = performance.now() - idlePoolMs
    for (const [key, kept] of pools) {
      if (kept.usedAtMs > before) return
      drop(key, kept)
    }
  }
  const timer = setInterval(dropIdle, idlePoolMs / 3).unref()
  return {
    to: (origin, addresses) => {
      const key = `${origin} ${addresses.map(({ address }) => address).join(' ')}`
      let pool = pools.get(key)?.pool
      if (pool) pools.delete(key)
      else {
        const connect = buildConnector({
          lookup: pinnedLookup(addresses),
          timeout: options.timeoutMs,
          ...(options.trustOnly === undefined ? {} : { ca: options.trustOnly }),
        })
        const { proxy } = options
        pool = new Pool(origin, {
          connect: (target, callback) => {
            const done: typeof callback = (...[error, socket]) => {
              if (socket) boundAnswers(socket)
              if (error) callback(error, null)
              else callback(null, socket)
            }
            const isTls = target.protocol === 'https:'
            const port = Number(target.port) || (isTls ? 443 : 80)
            if (!proxy?.isFor({ host: target.hostname, port, addresses })) return connect(target, done)
            proxy.open(addresses, port).then(
              tunnel => (isTls ? connect({ ...target, httpSocket: tunnel }, done) : done(null, tunnel)),
              (error: Error) => done(error, null),
            )
          },
          keepAliveTimeout: KEEP_ALIVE_MS,
          keepAliveMaxTimeout: KEEP_ALIVE_MS,
          // One deadline covers the whole exchange; undici's own timeouts would only add more deadlines.
          headersTimeout: 0,
          bodyTimeout: 0,
          maxHeaderSize: 16_384,
          pipelining: 1,
        })
      }
      pools.set(key, { pool, usedAtMs: performance.now() })
      if (pools.size > MAX_POOLS) drop(...pools.entries().next().value!)
      return pool
    },
    get pools() {
      return pools.size
    },
    close: async () => {
      clearInterval(timer)
      await Promise.all([...pools.values()].map(({ pool }) => pool.destroy()))
      pools.clear()
    },
  }
}
