// Runs a command of infra/stack with the arguments given here; `npm start` has built it.
import { existsSync } from 'node:fs'

const STACK = new URL('../infra/stack/dist/commands.js', import.meta.url)

/** Exits with the command's code, or with 1 and its reason. */
export async function runCommand(name) {
  if (!existsSync(STACK)) {
    console.error('nothing is built yet: run npm start first')
    process.exitCode = 1
    return
  }
  const { commands, tools } = await import(STACK.href)
  try {
    process.exitCode = await commands[name](process.argv.slice(2), process.env)
  } catch (error) {
    console.error(tools.wrapLines(error.message))
    process.exitCode = 1
  }
}
