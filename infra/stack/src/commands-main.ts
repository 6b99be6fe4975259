// What the scripts of the repository run. The build bundles it as dist/commands.js: a command starts in a quarter of the
// CPU that its separate files take.
import { demo } from './commands/demo/demo.js'
import { playMarket } from './commands/demo/play-market.js'
import { gateway } from './commands/dev-kit/gateway.js'
import { listen } from './commands/dev-kit/listen.js'
import { pay } from './commands/dev-kit/pay.js'
import { signIn } from './commands/dev-kit/sign-in.js'
import { trigger } from './commands/dev-kit/trigger.js'
import { jwtKeys } from './commands/jwt-keys.js'
import { publishEvents } from './commands/publish-events.js'
import { discardDataDir } from './data-dir.js'
import { main } from './launcher/main.js'
import { readStackFile } from './launcher/stack-file.js'
import { openServers } from './open-servers.js'
import { wrapLines } from './wrap-lines.js'

/** Each takes its arguments and the environment, and resolves with an exit code. */
export const commands = { demo, gateway, jwtKeys, listen, pay, publishEvents, signIn, trigger }

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
