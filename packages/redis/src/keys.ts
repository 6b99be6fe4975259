// Every key and channel of this package is built here, so that two deployments on one Redis (and what BullMQ
// keeps there) never meet.

/** What a deployment's keys start with. The braces are Redis Cluster's hash tag. */
const prefixOf = (environment: string) => `payment-tracking:${environment}`

export interface RedisKeys {
  /** `key` of the Socket.IO adapter and emitter: the same on both sides, or nothing arrives. */
  readonly adapter: string
  /**
   * A key of the leases. One script touches several of these keys, so all have one hash tag and live on one node of a
   * cluster. They are small: one set for each subscribed tracking ID.
   */
  lease(name: string): string
  /** The channel on which a pod is asked to give up a seat. */
  evictions(pod: string): string
  /** A key of another folder of this package, such as `nonces`. */
  other(...parts: string[]): string
}

/** @param environment the deployment's name, ENVIRONMENT */
export function buildRedisKeys(environment: string): RedisKeys {
  const prefix = prefixOf(environment)
  return {
    adapter: `${prefix}:socket`,
    lease: name => `{${prefix}:lease}:${name}`,
    evictions: pod => `${prefix}:evict:${pod}`,
    other: (...parts) => [prefix, ...parts].join(':'),
  }
}
