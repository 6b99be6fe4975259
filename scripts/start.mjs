// `npm start`: from a fresh clone to a running service. Everything it keeps lies under DATA_DIR (.data).
import { runCommand } from './command.mjs'
import { setUp } from './set-up.mjs'

const USAGE = `usage: npm start [-- --demo]
  Installs and builds what is missing, starts Postgres, Redis, NATS and all services, and runs until
  Ctrl-C. Everything that is kept lies in DATA_DIR (.data).
  --demo  plays a made-up market from the first second, so that every page has something to show
  --help  prints this

  PORT=3102 DATA_DIR=.data2 npm start       a second copy beside the first
  ENVIRONMENT=devnet npm start              says in every title that it is not production
  DATABASE_URL=… REDIS_URL=… NATS_URL=…     servers of yours instead of private ones
  docs/settings.md has every setting.`

await runCommand({ usage: USAGE, options: { demo: { type: 'boolean' } } }, async ({ demo }) => {
  await setUp({ withTests: false })
  const { tools } = await import('../infra/stack/dist/commands.js')
  return tools.main(process.env, { playsDemo: demo })
})
