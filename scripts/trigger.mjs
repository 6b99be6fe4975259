// `npm run trigger -- TYPE`: causes an event of a gateway on the running stack.
import { runCommand } from './run-command.mjs'

await runCommand('trigger')
