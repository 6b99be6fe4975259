export * from './set-aside-records.js'
