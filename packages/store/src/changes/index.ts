export * from './list-changes.js'
export * from './write-changes.js'
