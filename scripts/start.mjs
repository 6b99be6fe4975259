// `npm start`: from a fresh clone to a running service. Everything it keeps lies under DATA_DIR (.data).
import { setUp } from './set-up.mjs'

const log = line => console.log(line)
try {
  await setUp(log)
} catch (error) {
  console.error(`\n${error.message}`)
  process.exit(1)
}
const { tools } = await import('../infra/stack/dist/commands.js')
process.exitCode = await tools.main(process.env)
// Exits even if something still holds the event loop.
process.exit()
