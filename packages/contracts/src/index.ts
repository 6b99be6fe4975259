export * from './jobs.js'
export * from './payment-notification.js'
export * from './socket.js'
export * from './subjects.js'
