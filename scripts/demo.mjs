// `npm run demo`: a feed of payments into the running stack, and what comes back of each.
import { runCommand } from './run-command.mjs'

await runCommand('demo')
