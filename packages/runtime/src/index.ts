export {
  clientAddress,
  countedAddress,
  countedNetworks,
  networkLimit,
  readTrustedProxies,
  type TrustedProxies,
} from './client-address.js'
export { coalesce, type CoalesceLimits } from './coalesce.js'
export {
  CommonConfig,
  ConfigError,
  describeConfig,
  Flag,
  readConfig,
  Secret,
  ServerUrl,
  withoutPassword,
} from './config.js'
export { DueConfig, OverdueConfig } from './due-settings.js'
export { RetryConfig } from './retry-settings.js'
export { DEFAULT_TOKENS, TokensConfig } from './tokens-setting.js'
export { ServiceError, type Retry } from './error.js'
export { ARRIVAL_TIMEOUT_MS, arrivalLimits } from './http/arrival-limits.js'
export { cookieNameAt } from './http/cookie-name.js'
export { errorAnswer, type ErrorAnswer, type Refusal } from './http/error-answer.js'
export { answerRawError, refuseOnSocket } from './http/raw-answer.js'
export { writeRefusal } from './http/write-refusal.js'
export { runService, type Closable, type Intake, type ServiceContext, type RunConfig } from './lifecycle.js'
export { createLogger, type Logger } from './logger.js'
export { runMain } from './main.js'
export type { Probe } from './management.js'
export { createMetrics, type Metrics } from './metrics.js'
export { readArguments, refuseArguments } from './read-arguments.js'
export { repeat, type RepeatedTask, type RepeatOptions } from './repeat.js'
export { schemaProblem, type SchemaProblem } from './schema-problem.js'
export {
  DatabaseConfig,
  PoolSize,
  readDatabaseAddress,
  readReplicaUrls,
  ReplicaConfig,
  type DatabaseAddress,
} from './servers/database.js'
export { NatsConfig, StreamCopies } from './servers/nats.js'
export {
  RealtimeRedisConfig,
  realtimeRedisOf,
  RedisConfig,
  RedisEvictionError,
  RedisUnsupportedError,
  type RedisSettings,
} from './servers/redis.js'
export { readTls, type TlsOptions } from './servers/tls.js'
export { readTunables, type Tunables } from './tunables.js'
export { measurePool, type PoolUse } from './pool-metrics.js'
export type { Span, Tracing } from './tracing/span.js'
export { VERSION } from './version.js'
export { waitAtMost } from './wait-at-most.js'
export { watchClock } from './watch-clock.js'
export {
  PublicOrigins,
  isAllowedOrigin,
  readAllowedOrigins,
  WebConfig,
  type AllowedOrigins,
} from './web-settings.js'
export { OriginList, readOrigin, readOrigins } from './origins-setting.js'
export { environmentName, HOUSE_TOKENS, isProduction } from './pages/house-style.js'
