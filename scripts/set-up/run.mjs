import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/**
 * Runs a program in the repository's root. Its output is part of the error when the program fails.
 * @param options.cwd another folder
 * @param options.onOutput gets each piece of output as it comes
 * @throws Error whose message is the output and how the program ended
 */
export function run(file, args, { cwd = ROOT, env = {}, signal, onOutput = () => {} } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      signal,
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', chunk => {
        output += chunk
        onOutput(chunk)
      })
    }
    child.once('error', reject)
    child.once('close', (code, signal) => {
      if (code === 0) return resolve()
      reject(new Error(`${output}${[file, ...args].join(' ')} ended with ${signal ?? `exit code ${code}`}`))
    })
  })
}

/** Between two lines of progress. */
const EVERY_MS = 3_000

/**
 * Prints a line of progress at once and then every three seconds, until the work is done.
 * @param what the name of the work, such as `building`
 * @param detail returns how far the work is; may be empty
 * @returns what the work returns
 */
export async function withProgress(log, what, detail, work) {
  const startedAt = Date.now()
  log(`${what} …`)
  const timer = setInterval(() => {
    const how = [detail(), `${Math.round((Date.now() - startedAt) / 1_000)} s`].filter(Boolean)
    log(`${what} … ${how.join(', ')}`)
  }, EVERY_MS)
  try {
    return await work()
  } finally {
    clearInterval(timer)
  }
}
