export * from './create-gateway-session.js'
export * from './use-gateway-session.js'
