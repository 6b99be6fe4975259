export * from './list-merchant-policies.js'
export * from './list-subscribers.js'
export * from './read-volume.js'
export * from './replay-subscriptions.js'
