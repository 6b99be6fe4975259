export { bisect } from './bisect.js'
export * from './set-aside-records.js'
