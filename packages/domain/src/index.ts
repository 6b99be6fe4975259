export * from './chain-event.js'
