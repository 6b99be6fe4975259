export { RedisUnavailableError } from './errors.js'
export type { RedisKeys } from './keys.js'
export type { Announcement } from './fanout/announce-payments.js'
export type { CommitSignal } from './fanout/commit-signals.js'
export { refuseEviction } from './eviction.js'
export { buildHeadRecords, type HeadRecords } from './head-record.js'
export { buildNonces, type Nonces } from './nonces/nonces.js'
export { NO_SEQ, type PaymentFrame, type PaymentReader } from './fanout/payment-frame.js'
export {
  changeOfLifecycle,
  eventOfFrame,
  eventIdOfRetraction,
  frameOfExpectation,
  frameOfLifecycle,
  frameOfPayment,
  frameOfRetraction,
} from './fanout/socket-frame.js'
export { openRedis, type RedisConnections, type OpenRedisOptions } from './open-redis.js'
export { exchangeCounts, type CountDeltas, type CountWindow } from './counts/exchange-counts.js'
export { pauseRate, takeSlots, type Slot, type SlotRequest } from './rates/take-slots.js'
export { type Seat, type SeatAnswer, type SeatRequest } from './seats/seat.js'
export { Seats } from './seats/seats.js'
