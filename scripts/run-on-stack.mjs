// Runs a one-shot program with the servers that the environment names, and otherwise those of the running stack.
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'

const ROOT = new URL('../', import.meta.url)

/** @param program its file, from the root of the repository */
export async function runOnStack(program) {
  const file = new URL(program, ROOT)
  if (!existsSync(file)) {
    console.error('nothing is built yet: run npm start or npm run build first')
    process.exitCode = 1
    return
  }
  const { tools } = await import(new URL('infra/stack/dist/commands.js', ROOT).href)
  const stack = tools.readStackFile(resolve(process.env.DATA_DIR?.trim() || '.data'))
  if (stack) {
    process.env.DATABASE_URL ||= stack.databaseUrl
    process.env.REDIS_URL ||= stack.redisUrl
    process.env.NATS_URL ||= stack.natsUrl
    process.env.ENVIRONMENT ||= stack.environment
  }
  await import(file.href)
}
