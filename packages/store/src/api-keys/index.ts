export * from './api-key-records.js'
export * from './find-api-key.js'
export { revokeKeysOfDeletedGateways } from '../rows/revoke-keys.js'
