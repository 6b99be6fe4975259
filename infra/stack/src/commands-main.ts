// What the scripts of the repository run. The build bundles it as dist/commands.js: a command starts in a quarter of the
// CPU that its separate files take.
import { demo, playMarket, sample } from './commands/demo/index.js'
import { gateway, listen, pay, signIn, trigger } from './commands/dev-kit/index.js'
import { jwtKeys } from './commands/jwt-keys.js'
import { publishEvents } from './commands/publish-events.js'
import { discardDataDir, openServers } from './servers/index.js'
import { main, readStackFile } from './launcher/index.js'
import { wrapLines } from './wrap-lines.js'

/** Each takes its arguments and the environment, and resolves with an exit code. */
export const commands = { demo, gateway, jwtKeys, listen, pay, publishEvents, sample, signIn, trigger }

/** What scripts do themselves. */
export const tools = {
  discardDataDir,
  /** `npm start`, with a made-up market if it is asked for */
  main: (env: NodeJS.ProcessEnv, { playsDemo = false } = {}) =>
    main(env, { playMarket: playsDemo ? playMarket : undefined }),
  openServers,
  readStackFile,
  wrapLines,
}
