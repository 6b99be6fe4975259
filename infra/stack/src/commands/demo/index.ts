// The door of the demo.
export { demo } from './demo.js'
export { playMarket } from './play-market.js'
export { sample } from './sample.js'
