// `npm start`: from a fresh clone to a running service. Everything it keeps lies under DATA_DIR (.data).
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { runCommand } from './command.mjs'
import { checkStart } from './set-up/check-start.mjs'
import { requireNode, setUp } from './set-up.mjs'

const USAGE = `usage: npm start [-- --demo]
  Installs and builds what is missing, starts Postgres, Redis, NATS and all services, and runs until
  Ctrl-C. Everything that is kept lies in DATA_DIR (.data).
  --demo  ninety days of a made-up shop that goes on selling, in a folder of its own;
          rm -rf .data-demo removes it
  --help  prints this

  PORT=3102 DATA_DIR=.data2 npm start       a second copy beside the first
  ENVIRONMENT=devnet npm start              says in every title that it is not production
  DATABASE_URL=… REDIS_URL=… NATS_URL=…     servers of yours instead of private ones
  docs/settings.md has every setting.`

/** What a demo has of its own, unless the user chose it. */
const DEMO_SETTINGS = { DATA_DIR: '.data-demo', ENVIRONMENT: 'demo' }

await runCommand({ usage: USAGE, options: { demo: { type: 'boolean' } } }, async ({ demo }) => {
  // Of `npm start --demo` npm keeps the option for itself, and tells it by this variable.
  const playsDemo = demo || process.env.npm_config_demo === 'true'
  if (playsDemo)
    for (const [name, value] of Object.entries(DEMO_SETTINGS))
      process.env[name] = process.env[name]?.trim() || value
  // What a demo left is a demo's, also when nothing plays: no page may call it production.
  else if (existsSync(join(process.env.DATA_DIR?.trim() || '.data', 'demo-key.json')))
    process.env.ENVIRONMENT = process.env.ENVIRONMENT?.trim() || DEMO_SETTINGS.ENVIRONMENT
  requireNode()
  await checkStart(process.env)
  const onInterrupt = () => {
    console.log('\nstopped during the set-up; npm start goes on from here')
    process.exit(130)
  }
  process.once('SIGINT', onInterrupt)
  await setUp({ withTests: false })
  process.off('SIGINT', onInterrupt)
  const { tools } = await import('../infra/stack/dist/commands.js')
  return tools.main(process.env, { playsDemo })
})
