// `npm run gateway -- new`: makes a gateway and its key on the running stack.
import { runCommand } from './run-command.mjs'

await runCommand('gateway')
