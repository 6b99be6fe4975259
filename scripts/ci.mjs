// What CI runs: all of `npm test`, then all of `npm run test:long`. Ends with one line, the sum of both.
import { runLongGate } from './gate/long-gate.mjs'
import { runShortGate } from './gate/short-gate.mjs'
import { addTotals, exitWithTotals } from './gate/totals.mjs'

await exitWithTotals(async signal => addTotals(await runShortGate({ signal }), await runLongGate({ signal })))
