export * from './api-key-records.js'
export * from './find-api-key.js'
