// `npm run operate -- COMMAND [ARGUMENT...]`: what operators run by hand, from a checkout. Images run the same programs by their files.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** What each command runs, and what it is for. */
const COMMANDS = {
  'jwt-keys': { run: ['run.mjs', 'jwt-keys'], does: 'makes keys that sign tokens' },
  archive: {
    run: ['run.mjs', 'services/ingest/dist/archive.js'],
    does: 'archived months: list, verify, restore',
  },
  rebuild: {
    run: ['run.mjs', 'packages/store/dist/rebuild.js'],
    does: 'computes states and figures from events',
  },
  reingest: { run: ['run.mjs', 'services/ingest/dist/reingest.js'], does: 'reads the stream again' },
  'publish-events': { run: ['run.mjs', 'publish-events'], does: 'publishes the lines of a file' },
  sizing: { run: ['sizing.mjs'], does: 'tells what payments and sockets need' },
}

const [name, ...args] = process.argv.slice(2)
const command = name !== undefined && Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
if (command) {
  const [script, ...own] = command.run
  const file = fileURLToPath(new URL(script, import.meta.url))
  const { status } = spawnSync(process.execPath, [file, ...own, ...args], { stdio: 'inherit' })
  process.exitCode = status ?? 1
} else {
  const isHelp = name === '--help'
  const lines = Object.entries(COMMANDS).map(([each, { does }]) => `  ${each.padEnd(16)}${does}`)
  const usage = ['usage: npm run operate -- COMMAND [ARGUMENT...]', ...lines, '  Each answers --help.'].join(
    '\n',
  )
  if (isHelp) console.log(usage)
  else {
    console.error(name === undefined ? usage : `there is no command ${name}\n${usage}`)
    process.exitCode = 2
  }
}
