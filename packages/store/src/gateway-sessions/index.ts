export * from './create-gateway-session.js'
export * from './list-gateway-sessions.js'
export * from './use-gateway-session.js'
