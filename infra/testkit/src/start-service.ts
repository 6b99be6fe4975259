import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { FOLLOW_PARENT } from '@payment-tracking/stack'
import { inRoleOf } from './in-role-of.js'
import { splitTunables } from './tunables.js'
import type { TestContext } from './test-context.js'
import { waitFor } from './wait-for.js'

export interface LogLine {
  level: string
  msg: string
  [key: string]: unknown
}

export interface StartedService {
  readonly pid: number
  readonly managementUrl: string
  /** As Prometheus reads them. */
  metrics(): Promise<string>
  /** A metric's figure, summed over its labels: `name`, or `name{label="…"}` for one of them. NaN where it shows none. */
  figure(name: string): Promise<number>
  /** The log so far, parsed. */
  readonly logs: LogLine[]
  /** The whole output so far, stdout and stderr. */
  readonly output: string
  /** Waits for a log line with this message (and, if given, for which the check holds). */
  waitForLog(msg: string, holds?: (line: LogLine) => boolean): Promise<LogLine>
  /** Sends the signal and waits for the end. Default SIGTERM. @returns the exit code, null after SIGKILL */
  stop(signal?: NodeJS.Signals): Promise<number | null>
  /** Sends a signal without waiting: SIGSTOP and SIGCONT simulate a hanging process. */
  signal(signal: NodeJS.Signals): void
  readonly exited: Promise<number | null>
}

export interface StartOptions {
  /** Default true: waits for readiness. False returns as soon as the process runs. */
  waitUntilReady?: boolean
  /** Default true. False drops the log once the service is ready: a load may log a line for each request. */
  keepLogs?: boolean
  /** The root directory of the release with services/<name>/dist/service.js. Default: this repository. */
  root?: string
}

/** A test file that crashes leaves no service behind, not even one that hangs; one that is killed is followed. */
const running = new Set<ChildProcess>()
process.once('exit', () => running.forEach(child => child.kill('SIGKILL')))

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

/**
 * Starts services/<name> as its own process, as in production, and stops it when the test ends. If the service does not
 * become ready, the error shows its log.
 * It runs in its own role of Postgres wherever the settings name the owner of a private server: it has no more rights than in production.
 * @param env settings over an otherwise empty environment (except PATH and LOG_LEVEL), and `<service>.<tunable>`
 */
export async function startService(
  t: TestContext,
  name: string,
  env: Record<string, string | undefined>,
  { waitUntilReady = true, keepLogs = true, root = ROOT }: StartOptions = {},
): Promise<StartedService> {
  const main = join(root, 'services', name, 'dist/service.js')
  if (!existsSync(main)) throw new Error(`${main} is not built: run npm run build`)
  // Production starts services with source maps. They cost a fifth of a start, and the tests start hundreds.
  const { env: settings, args } = splitTunables(name, env)
  const child = spawn(process.execPath, [...FOLLOW_PARENT, main, ...args], {
    env: { PATH: process.env.PATH, LOG_LEVEL: 'info', MANAGEMENT_PORT: '0', ...inRoleOf(name, settings) },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const logs: LogLine[] = []
  let output = ''
  let rest = ''
  const onOutput = (chunk: string) => {
    output += chunk
    const lines = (rest + chunk).split('\n')
    rest = lines.pop()!
    for (const line of lines) {
      try {
        logs.push(JSON.parse(line) as LogLine)
      } catch {
        // Not a log line: a crash of Node itself; it is in `output`.
      }
    }
  }
  child.stdout!.setEncoding('utf8').on('data', onOutput)
  child.stderr!.setEncoding('utf8').on('data', (chunk: string) => (output += chunk))
  let ended = false
  const exited = new Promise<number | null>(resolve => {
    child.once('exit', code => {
      ended = true
      resolve(code)
    })
  })
  t.teardown(async () => {
    if (ended) return
    child.kill('SIGCONT')
    child.kill('SIGTERM')
    const force = setTimeout(() => child.kill('SIGKILL'), 12_000)
    await exited
    clearTimeout(force)
  })
  running.add(child)
  child.once('exit', () => running.delete(child))
  const findLog = (msg: string, holds: (line: LogLine) => boolean) =>
    logs.find(line => line.msg === msg && holds(line))
  const service: StartedService = {
    pid: child.pid!,
    logs,
    get output() {
      return output
    },
    get managementUrl() {
      const line = findLog('service.ready', () => true)
      if (!line) throw new Error(`${name} has not said its management port yet`)
      return `http://127.0.0.1:${line.managementPort as number}`
    },
    metrics: async () => (await fetch(`${service.managementUrl}/metrics`)).text(),
    async figure(name) {
      const lines = (await service.metrics()).split('\n')
      const shown = lines.filter(line => line.startsWith(`${name} `) || line.startsWith(`${name}{`))
      return shown.length === 0 ? NaN : shown.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
    },
    async waitForLog(msg, holds = () => true) {
      try {
        return await waitFor(
          () => {
            const line = findLog(msg, holds)
            if (!line && ended) throw new Error(`${name} has ended with exit code ${child.exitCode}`)
            return line
          },
          // On a machine with 40 others that start, a service takes a minute.
          { what: `log line ${msg} of ${name}`, timeoutMs: 90_000 },
        )
      } catch (error) {
        console.error(`--- what ${name} wrote ---\n${output}---`)
        throw error
      }
    },
    stop(signal = 'SIGTERM') {
      if (!ended) child.kill(signal)
      return exited
    },
    signal: signal => void child.kill(signal),
    exited,
  }
  if (waitUntilReady) {
    let isReady = false
    const dead = exited.then(code => {
      if (isReady) return
      console.error(`--- what ${name} wrote ---\n${output}---`)
      throw new Error(`${name} ended with exit code ${code} before it was ready`)
    })
    dead.catch(() => {})
    await Promise.race([dead, service.waitForLog('service.ready')])
    await Promise.race([
      dead,
      waitFor(async () => (await fetch(`${service.managementUrl}/readyz`)).ok, { what: `${name} ready` }),
    ])
    isReady = true
    const management = service.managementUrl
    if (!keepLogs) {
      child.stdout!.off('data', onOutput).resume()
      return { ...service, managementUrl: management }
    }
  }
  return service
}
