export { openBus, type Bus } from './bus.js'
export { BusUnavailableError, type BusConfig } from './connection.js'
export type { ConsumerOptions, HandleBatch, ReceivedBusMessage, Redeliver, StreamLag } from './consumer.js'
export type { StreamConfig, StreamState } from './stream.js'
