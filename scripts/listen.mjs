// `npm run listen`: shows a gateway's webhook deliveries, and forwards them to a server on this machine.
import { runCommand } from './run-command.mjs'

await runCommand('listen')
