// `npm start`: from a fresh clone to a running service. Everything it keeps lies under DATA_DIR (.data).
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

const options = process.argv.slice(2)
const unknown = options.find(option => !['--demo', '--help', '-h'].includes(option))
if (unknown !== undefined) {
  console.error(`npm start does not know ${unknown}\n${USAGE}`)
  process.exit(2)
}
if (options.includes('--help') || options.includes('-h')) {
  console.log(USAGE)
  process.exit()
}
const log = line => console.log(line)
try {
  await setUp(log, { withTests: false })
} catch (error) {
  console.error(`\n${error.message}`)
  process.exit(1)
}
const { tools } = await import('../infra/stack/dist/commands.js')
process.exitCode = await tools.main(process.env, { playsDemo: options.includes('--demo') })
// Exits even if something still holds the event loop.
process.exit()
