// `npm run demo`: publishes payments to the running stack and shows how each is stored, pushed and delivered.
import { runCommand } from './run-command.mjs'

await runCommand('demo')
