// What the commands of package.json have in common: how they read their arguments, run programs and end.
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

/** turbo sends nothing about us. */
export const TURBO_ENV = { TURBO_TELEMETRY_DISABLED: '1', DO_NOT_TRACK: '1' }

export const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** @returns a sentence for what a program of any kind says of a full disk; undefined for all else */
const describeFullDisk = message =>
  /ENOSPC|No space left on device/i.test(message)
    ? 'The disk is full: free some GB, or put DATA_DIR on another disk; the same command then goes on from here.'
    : undefined

/**
 * Runs a command and exits: with 0 or the code that the command returns; with 1 and the message of its error; with 2 and the
 * usage for arguments that it does not know. `--help` prints the usage.
 * @param options those of `parseArgs`
 * @param command gets the options, and the arguments besides where `allowPositionals` is set
 */
export async function runCommand({ usage, options = {}, allowPositionals = false }, command) {
  let given
  try {
    const help = { type: 'boolean', short: 'h' }
    given = parseArgs({ options: { ...options, help }, allowPositionals })
  } catch (error) {
    console.error(`${error.message}\n${usage}`)
    process.exit(2)
  }
  if (given.values.help) {
    console.log(usage)
    process.exit()
  }
  try {
    const code = await command(given.values, given.positionals)
    // Exits even if something still holds the event loop.
    process.exit(code ?? process.exitCode)
  } catch (error) {
    console.error(describeFullDisk(error.message) ?? error.message)
    process.exit(1)
  }
}

/**
 * Runs a program in the repository's root.
 * @param options.onOutput called with each piece of output at once
 * @returns the program's stdout
 * @throws Error with the last lines of the program's output, and its exit code or signal
 */
export function run(file, args, { env = {}, signal, onOutput = () => {} } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, {
      cwd: ROOT,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      signal,
    })
    let [printed, output] = ['', '']
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', text => {
        output += text
        if (stream === child.stdout) printed += text
        onOutput(text)
      })
    }
    child.once('error', reject)
    child.once('close', (code, reason) => {
      if (code === 0) return resolve(printed.trim())
      const end = output.trimEnd().split('\n').slice(-200).join('\n')
      reject(new Error(`${end}\n${[file, ...args].join(' ')} ended with ${reason ?? `exit code ${code}`}`))
    })
  })
}

/** Between two lines of progress. */
const EVERY_MS = 3_000

/**
 * Prints a line of progress at once. Prints another every three seconds until the work is done.
 * @param what the name of the work, such as `building`
 * @param detail returns how far the work is
 * @returns the result of the work
 */
export async function withProgress(what, work, detail = () => '') {
  const startedAt = Date.now()
  console.log(`${what} …`)
  const timer = setInterval(() => {
    const seconds = `${Math.round((Date.now() - startedAt) / 1_000)} s`
    console.log(`${what} … ${[detail(), seconds].filter(Boolean).join(', ')}`)
  }, EVERY_MS)
  try {
    return await work()
  } finally {
    clearInterval(timer)
  }
}
