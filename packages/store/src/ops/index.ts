export * from './dead-letters.js'
export * from './failed-deliveries.js'
