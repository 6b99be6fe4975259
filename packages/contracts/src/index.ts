export * from './jobs.js'
export * from './committed-payment.js'
export * from './socket.js'
export * from './subjects.js'
