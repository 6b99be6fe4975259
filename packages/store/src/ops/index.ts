export * from './dead-letters.js'
export * from './ended-sessions.js'
export * from './failed-deliveries.js'
export { countGaps, listGaps, type GapRow } from './gaps.js'
