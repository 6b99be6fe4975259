import type { LookupFunction } from 'node:net'
import { Pool } from 'undici'
import type { PinnedAddress } from './resolve-target.js'

/** Connections kept between requests, so that a busy endpoint pays for TLS once. */
export interface Connections {
  /** A pool whose connections go to these addresses and nowhere else; SNI and Host stay the name. */
  to(origin: string, addresses: readonly PinnedAddress[]): Pool
  close(): Promise<void>
}

const MAX_POOLS = 1_000
/** Shorter than the 5 s most servers keep idle connections: a request on a closing one is a failed try. */
const KEEP_ALIVE_MS = 3_000

/** Answers what was checked, whatever is asked. Never called for literals, which were checked themselves. */
function pinnedLookup(addresses: readonly PinnedAddress[]): LookupFunction {
  return (_host, options, callback) => {
    if (options.all) callback(null, [...addresses])
    else callback(null, addresses[0]!.address, addresses[0]!.family)
  }
}

/** @param options.trustOnly certificates instead of the system's; tests have their own */
export function openConnections(options: { timeoutMs: number; trustOnly?: string }): Connections {
  // Insertion order is order of use: the first is the one that was used longest ago.
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
          // One deadline rules the whole exchange; these would only add second ones.
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
