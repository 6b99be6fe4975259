// Every key and channel of this package is built here, so that two deployments on one Redis (and what BullMQ
// keeps there) never meet.

/** What a deployment's keys start with. */
const prefixOf = (environment: string) => `payment-tracking:${environment}`

export interface RedisKeys {
  /** `key` of the Socket.IO adapter and emitter: the same on both sides, or nothing arrives. */
  readonly adapter: string
  /** A key of the leases of seats. One script touches several of these keys. */
  lease(name: string): string
  /** The channel on which a pod is asked to give up a seat. */
  evictions(pod: string): string
  /** A shard channel of payments, in a Redis Cluster. */
  payments(channel: number): string
  /** The channel on which commits of ingest are signalled. A process of the API without it looks every 2 s. */
  readonly commits: string
  /** The channel on which changed endpoints are signalled. Without it a claim reads the row; an open breaker stays open for its 60 s. */
  readonly endpoints: string
  /** A key of another folder of this package, such as `nonces`. */
  other(...parts: string[]): string
}

/**
 * The braces are Redis Cluster's hash tag: every key of this package is in one slot, so one connection reaches all of
 * them, and a script may touch any. They are small: the seats of a million sockets are 100 MB, and a node takes 100,000
 * seats a second. BullMQ's keys are in another slot, and channels are spread.
 * @param environment the deployment's name, ENVIRONMENT
 */
export function buildRedisKeys(environment: string): RedisKeys {
  const prefix = prefixOf(environment)
  const tagged = `{${prefix}:state}`
  return {
    adapter: `${prefix}:socket`,
    lease: name => `${tagged}:lease:${name}`,
    evictions: pod => `${prefix}:evict:${pod}`,
    payments: channel => `${prefix}:payments:${channel}`,
    commits: `${prefix}:commits`,
    endpoints: `${prefix}:endpoints`,
    other: (...parts) => [tagged, ...parts].join(':'),
  }
}
