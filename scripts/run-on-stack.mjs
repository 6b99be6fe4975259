// `node scripts/run-on-stack.mjs PROGRAM [ARGUMENT...]`: runs a one-shot program of a package or a service, with the servers
// that the environment names, and otherwise with those of the running stack.
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'

const ROOT = new URL('../', import.meta.url)
const [program] = process.argv.splice(2, 1)
const file = new URL(program, ROOT)

if (existsSync(file)) {
  const { tools } = await import(new URL('infra/stack/dist/commands.js', ROOT).href)
  const stack = tools.readStackFile(resolve(process.env.DATA_DIR?.trim() || '.data'))
  if (stack) {
    process.env.DATABASE_URL ||= stack.databaseUrl
    process.env.REDIS_URL ||= stack.redisUrl
    process.env.NATS_URL ||= stack.natsUrl
    process.env.ENVIRONMENT ||= stack.environment
  }
  await import(file.href)
} else {
  console.error('nothing is built yet: run npm start or npm run build first')
  process.exitCode = 1
}
