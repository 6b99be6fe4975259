export * from './find-anything.js'
