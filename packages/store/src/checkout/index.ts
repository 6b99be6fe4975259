export * from './list-claimable-policies.js'
export * from './list-claimable-payments.js'
