import {
  CommonConfig,
  DatabaseConfig,
  DueConfig,
  PoolSize,
  RealtimeRedisConfig,
  WebConfig,
} from '@payment-tracking/runtime'
import { Type, type Static } from 'typebox'

const Count = (fallback: number, description: string) =>
  Type.Integer({ default: fallback, minimum: 1, description })

export const RealtimeConfig = Type.Object({
  ...CommonConfig,
  ...WebConfig,
  ...RealtimeRedisConfig,
  ...DatabaseConfig,
  HOST: Type.String({ default: '127.0.0.1', description: 'where sockets are accepted' }),
  PORT: Type.Integer({
    default: 3003,
    minimum: 0,
    maximum: 65535,
    description: 'where sockets are accepted; 0 takes a free port',
  }),
  MAX_CONNECTIONS_PER_TRACKING_ID: Count(100, 'connections that one tracking ID may have, over all pods'),
  MAX_TRACKING_ID_CONNECTIONS_PER_ADDRESS: Count(10, 'of these, from one client address'),
  MAX_CONNECTIONS_PER_ADDRESS: Count(200, 'connections from one client address, over all pods'),
  LEASE_MS: Type.Integer({
    default: 15_000,
    minimum: 500,
    description: 'how long the places of a pod that died stay taken',
  }),
  DRAIN_WINDOW_MS: Type.Integer({
    default: 5_000,
    minimum: 0,
    description: 'over how long clients are sent away when the pod stops; below STOP_DEADLINE_MS',
  }),
  MAX_SUBSCRIPTIONS_PER_CONNECTION: Count(100, 'tracking IDs of one connection'),
  MAX_MESSAGES_PER_SECOND: Count(20, 'messages a connection may send, on average'),
  MAX_MESSAGE_BURST: Count(250, 'messages a connection may send at once'),
  MAX_MESSAGE_BYTES: Count(16_384, 'size of a message from a client'),
  MAX_QUEUED_PACKETS: Count(512, 'packets that may wait for a slow client before it is closed'),
  PING_INTERVAL_MS: Count(25_000, 'how often a client is asked whether it is still there'),
  PING_TIMEOUT_MS: Count(20_000, 'how long its answer may take before the connection is ended'),
  HEAL_INTERVAL_MS: Count(10_000, 'how often rooms are compared with the store'),
  LIFECYCLE_INTERVAL_MS: Count(
    5_000,
    'how often clients that subscribed with `events: true` are told of due dates, and of events that Redis lost',
  ),
  ...DueConfig,
  POOL_SIZE: PoolSize(2),
})
export type RealtimeConfig = Static<typeof RealtimeConfig>
