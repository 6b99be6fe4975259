// The server on this machine that `listen --run` starts, and ends with itself.
import { spawn } from 'node:child_process'

export interface LocalServer {
  /** resolves with the exit code, when the server ends by itself */
  ended: Promise<number>
  stop(): void
}

/** @param command a program and its arguments, apart by spaces. No shell stands between: it would pass no signal on. */
export function startLocalServer(command: string, env: NodeJS.ProcessEnv): LocalServer {
  const [file = '', ...args] = command.trim().split(/\s+/)
  const server = spawn(file, args, { stdio: 'inherit', env })
  const ended = new Promise<number>(resolve => {
    server.once('exit', code => resolve(code ?? 1))
    server.once('error', error => {
      console.error(`--run: ${file} does not start: ${error.message}`)
      resolve(1)
    })
  })
  return { ended, stop: () => void server.kill() }
}
