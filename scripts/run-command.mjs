// `node scripts/run-command.mjs NAME [ARGUMENT...]`: runs a command of infra/stack, which `npm start` has built. Exits with
// the command's code, or with 1 and its reason.
import { existsSync } from 'node:fs'

const COMMANDS = new URL('../infra/stack/dist/commands.js', import.meta.url)
const [name, ...args] = process.argv.slice(2)

if (existsSync(COMMANDS)) {
  const { commands, tools } = await import(COMMANDS.href)
  const command = commands[name.replace(/-(.)/g, (_, letter) => letter.toUpperCase())]
  try {
    process.exitCode = await command(args, process.env)
  } catch (error) {
    console.error(tools.wrapLines(error.message))
    process.exitCode = 1
  }
} else {
  console.error('nothing is built yet: run npm start first')
  process.exitCode = 1
}
