// `npm run test:long [-- STEP...]`: what takes minutes or tries something else each time: the steps of
// gate/long-steps.mjs, or those that are named. Ends with the line `N passed, N failed`.
import { runLongGate } from './gate/long-gate.mjs'
import { exitWithTotals } from './gate/totals.mjs'

await exitWithTotals(signal => runLongGate({ only: process.argv.slice(2), signal }))
