import { spawn } from 'node:child_process'
import type { TestContext } from './test-context.js'

export interface ProgramOptions {
  env?: NodeJS.ProcessEnv
  uid?: number
  gid?: number
}

/** If a test file crashes, these programs are killed too. */
const running = new Set<ReturnType<typeof spawn>>()
process.once('exit', () => running.forEach(child => child.kill('SIGKILL')))

/** Starts a server with the test's own settings, and kills the server when the test ends. */
export function startProgram(
  t: TestContext,
  file: string,
  args: readonly string[],
  { env, ...who }: ProgramOptions = {},
) {
  const child = spawn(file, args, {
    cwd: '/',
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...who,
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => (output += chunk))
  running.add(child)
  const ended = new Promise<void>(resolve => {
    child.once('error', error => {
      output += String(error)
      resolve()
    })
    child.once('exit', () => resolve())
  })
  void ended.then(() => running.delete(child))
  const kill = async () => {
    child.kill('SIGKILL')
    await ended
  }
  t.teardown(kill)
  return {
    /** So far, stdout and stderr. */
    get output() {
      return output
    },
    get pid() {
      return child.pid!
    },
    /** As a crash would. */
    kill,
  }
}

export type StartedProgram = ReturnType<typeof startProgram>
