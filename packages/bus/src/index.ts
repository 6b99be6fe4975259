export { openBus, type Bus } from './bus.js'
export type { BusConfig } from './connection.js'
export {
  MOST_UNACKNOWLEDGED_BATCHES,
  type ConsumerOptions,
  type HandleBatch,
  type Redeliver,
  type StreamLag,
} from './consumer.js'
export type { ReceivedBusMessage } from './received-message.js'
export type { StreamConfig, StreamState } from './stream.js'
export type { ConsumerState } from './observe.js'
export type { StreamPosition } from './position.js'
export { RevisionConflictError, type KeyValue, type KeyValueEntry } from './key-value.js'
export type { ReadAgainOptions } from './read-again.js'
export { BUS_USERS, permissionsOf, renderBusUsers, type BusUser } from './permissions.js'
