// `node scripts/run.mjs WHAT [ARGUMENT...]`, for the scripts of package.json. WHAT is one of three:
// - A program of test/, such as test/bench/main.ts. It opens servers of its own.
// - A built program, such as services/ingest/dist/archive.js. It uses the servers that the environment names. Without those it
//   uses the servers of the running stack.
// - A command of infra/stack, such as `demo`.
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { setUp } from './set-up.mjs'

// A program finds its arguments where Node puts them.
const [what] = process.argv.splice(2, 1)
const args = process.argv.slice(2)

async function runProgramOfTests() {
  if (!args.includes('--help')) await setUp()
  const { register } = await import('tsx/esm/api')
  register()
  await import(`../${what}`)
}

async function runOnStack({ readStackFile }) {
  const stack = readStackFile(resolve(process.env.DATA_DIR?.trim() || '.data'))
  if (stack) {
    process.env.DATABASE_URL ||= stack.databaseUrl
    process.env.REDIS_URL ||= stack.redisUrl
    process.env.NATS_URL ||= stack.natsUrl
    process.env.ENVIRONMENT ||= stack.environment
  }
  await import(`../${what}`)
}

async function runBuilt() {
  const file = new URL('../infra/stack/dist/commands.js', import.meta.url)
  if (!existsSync(file)) throw new Error('nothing is built yet: run npm start first')
  const { commands, tools } = await import(file.href)
  if (what.endsWith('.js')) return runOnStack(tools)
  const name = what.replace(/-(.)/g, (_, letter) => letter.toUpperCase())
  try {
    process.exitCode = await commands[name](args, process.env)
  } catch (error) {
    throw new Error(tools.wrapLines(error.message), { cause: error })
  }
}

try {
  await (what.endsWith('.ts') ? runProgramOfTests() : runBuilt())
} catch (error) {
  // Whoever works on a program of test/ wants to see where it broke.
  console.error(what.endsWith('.ts') ? error : error.message)
  process.exitCode = 1
}
