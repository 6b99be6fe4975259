// Where payments are published. On one Redis: on the adapter's channel. In a Redis Cluster: on PAYMENT_CHANNELS shard
// channels, which spread over the primaries, so that a payment leaves one node alone and not every node. The tracking ID
// decides which: its payments stay in order.
//
// A node before Redis 7 knows no shard channels: then payments of its channels go over the adapter's channel, which the
// cluster broadcasts. Pods listen to both, so nodes of both kinds may serve during an upgrade.
import type { ChainableCommander, Redis } from 'ioredis'
import type { RedisKeys } from '../keys.js'
import { readPayments, type PaymentReader } from './payment-frame.js'

/** Enough for the primaries of a large cluster; each costs a pod a connection. */
export const PAYMENT_CHANNELS = 8

/** A connection and the command by which a message leaves through it. */
export interface PaymentRoute {
  redis: Redis
  publish(pipeline: ChainableCommander, adapterChannel: string, message: Buffer): void
}

/** Opens a connection to the node that serves a channel. */
type ConnectToChannel = (purpose: string, channel: string) => Redis

/** FNV-1a: the same on every release, since publisher and pod need not agree on anything else. */
function channelOf(trackingId: string): number {
  let hash = 0x811c9dc5
  for (const byte of Buffer.from(trackingId)) hash = Math.imul(hash ^ byte, 0x01000193)
  return (hash >>> 0) % PAYMENT_CHANNELS
}

export function routeToAdapter(redis: Redis): PaymentRoute {
  return { redis, publish: (pipeline, channel, message) => void pipeline.publish(channel, message) }
}

/** @returns the route of a tracking ID; the first call opens the connections of all channels */
export function buildShardRoutes(
  keys: RedisKeys,
  connect: ConnectToChannel,
): (trackingId: string) => PaymentRoute {
  let routes: PaymentRoute[] | undefined
  const open = (_: unknown, number: number): PaymentRoute => {
    const channel = keys.payments(number)
    const redis = connect(`payments-${number}`, channel)
    let knowsShards = true
    redis.on('ready', () => {
      redis.info('server').then(
        info => (knowsShards = Number(/^redis_version:(\d+)/m.exec(info)?.[1] ?? 0) >= 7),
        () => {},
      )
    })
    return {
      redis,
      publish: (pipeline, adapterChannel, message) =>
        void (knowsShards ? pipeline.spublish(channel, message) : pipeline.publish(adapterChannel, message)),
    }
  }
  return trackingId => {
    routes ??= Array.from({ length: PAYMENT_CHANNELS }, open)
    return routes[channelOf(trackingId)]!
  }
}

/**
 * Gives the reader the payments of all shard channels.
 * @param onListening a channel is listened to (again): what was published before may be missing
 */
export function listenToShards<R>(
  keys: RedisKeys,
  connect: ConnectToChannel,
  reader: PaymentReader<R>,
  onListening: () => void,
): void {
  for (let number = 0; number < PAYMENT_CHANNELS; number++) {
    const channel = keys.payments(number)
    const redis = connect(`listen-${number}`, channel)
    redis.on('smessageBuffer', (_: Buffer, message: Buffer) => readPayments(message, reader))
    // A node before Redis 7 refuses: its payments come over the adapter's channel.
    redis.on('ready', () => void redis.ssubscribe(channel).then(onListening, () => {}))
  }
}
