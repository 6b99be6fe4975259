// `npm test`: set-up, lint, format, types, then every short test against one private set of servers, in some 8 minutes.
// Ends with the line `N passed, N failed`. Arguments name test files, run without the checks:
// `npm test -- packages/store/test/database/migrate.test.ts`.
import { runShortGate } from './gate/short-gate.mjs'
import { exitWithTotals } from './gate/totals.mjs'

await exitWithTotals(signal => runShortGate({ files: process.argv.slice(2), signal }))
