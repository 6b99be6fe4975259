// `npm run pay`: causes one payment on the running stack.
import { runCommand } from './run-command.mjs'

await runCommand('pay')
