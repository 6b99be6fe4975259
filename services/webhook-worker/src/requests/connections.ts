import type { LookupFunction } from 'node:net'
import { Pool } from 'undici'
import type { PinnedAddress } from './resolve-target.js'

/** Keeps connections between requests, so that a busy endpoint needs one TLS handshake. */
export interface Connections {
  /** A pool that connects only to these addresses; SNI and Host stay the name. */
  to(origin: string, addresses: readonly PinnedAddress[]): Pool
  close(): Promise<void>
}

const MAX_POOLS = 1_000
/** Shorter than the 5 s for which most servers keep idle connections: a request on a closing connection fails. */
const KEEP_ALIVE_MS = 3_000

/**
 * Answers the checked addresses to every question. Never called for literal addresses, which were checked themselves.
 */
function pinnedLookup(addresses: readonly PinnedAddress[]): LookupFunction {
  return (_host, options, callback) => {
    if (options.all) callback(null, [...addresses])
    else callback(null, addresses[0]!.address, addresses[0]!.family)
  }
}

/** @param options.trustOnly certificates instead of the system's; tests use their own certificates */
export function openConnections(options: { timeoutMs: number; trustOnly?: string }): Connections {
  // Insertion order is order of use: the first pool is the least recently used pool.
  const pools = new Map<string, Pool>()
  return {
    to: (origin, addresses) => {
      const key = `${origin} ${addresses.map(({ address }) => address).join(' ')}`
      let pool = pools.get(key)
      if (pool) pools.delete(key)
      else {
        pool = new Pool(origin, {
          connect: {
            lookup: pinnedLookup(addresses),
            timeout: options.timeoutMs,
            ...(options.trustOnly === undefined ? {} : { ca: options.trustOnly }),
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
      pools.set(key, pool)
      if (pools.size > MAX_POOLS) {
        const [oldest, idle] = pools.entries().next().value!
        pools.delete(oldest)
        void idle.close()
      }
      return pool
    },
    close: async () => {
      await Promise.all([...pools.values()].map(pool => pool.destroy()))
      pools.clear()
    },
  }
}
