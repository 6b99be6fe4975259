import { spawn } from 'node:child_process'
import type { TestContext } from './test-context.js'

export interface StartedProgram {
  /** What it wrote so far, to either output. */
  readonly output: string
  /** Ends it as a crash would. */
  kill(): Promise<void>
}

export interface ProgramOptions {
  env?: NodeJS.ProcessEnv
  uid?: number
  gid?: number
}

/** A test file that crashes leaves none of them behind. */
const running = new Set<ReturnType<typeof spawn>>()
process.once('exit', () => running.forEach(child => child.kill('SIGKILL')))

/** Starts a server with settings of the test's own; it is killed when the test ends. */
export function startProgram(
  t: TestContext,
  file: string,
  args: readonly string[],
  { env, ...who }: ProgramOptions = {},
): StartedProgram {
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
    get output() {
      return output
    },
    kill,
  }
}
