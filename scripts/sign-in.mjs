// `npm run sign-in`: prints a token of a gateway.
import { runCommand } from './run-command.mjs'

await runCommand('signIn')
