// `npm run publish-events -- FILE`: puts each line of a file on the stream of the running stack.
import { runCommand } from './run-command.mjs'

await runCommand('publishEvents')
