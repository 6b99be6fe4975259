// Runs one process of a service, and starts it again whenever it ends, without limit, as an orchestrator would.
import { spawn, type ChildProcess } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { findQuietPort, FOLLOW_PARENT } from '@payment-tracking/stack'

export interface KeepOptions {
  name: string
  main: string
  env: NodeJS.ProcessEnv
  args: readonly string[]
  portVariable?: string
  logFile: string
}

const RESTART_AFTER_MS = 100
const PROBE_EVERY_MS = 150
const PROBE_TIMEOUT_MS = 1_500
const STOP_GRACE_MS = 15_000

export function keepProcess(options: KeepOptions) {
  const { name, main, env, args, portVariable, logFile } = options
  const crashes: string[] = []
  let child: ChildProcess | undefined
  let port: number | undefined
  let ready = false
  let lastAnswer = 'not asked yet'
  let stopping = false
  /** A signal of ours that may end it. */
  let hit = false
  let readyAskedMs = -1

  const probe = async (url: string, alive: () => boolean): Promise<void> => {
    while (alive()) {
      const askedMs = performance.now()
      const ok = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) }).then(
        async response => {
          lastAnswer = `${response.status} ${await response.text()}`
          return response.ok
        },
        (error: unknown) => {
          lastAnswer = String(error)
          return false
        },
      )
      if (!alive()) return
      ready = ok
      if (ok) readyAskedMs = askedMs
      await sleep(PROBE_EVERY_MS)
    }
  }

  const runOnce = async (): Promise<number | null> => {
    port = portVariable === undefined ? undefined : await findQuietPort()
    const managementPort = await findQuietPort()
    if (stopping) return null
    const output = openSync(logFile, 'a')
    const started = spawn(process.execPath, ['--enable-source-maps', ...FOLLOW_PARENT, main, ...args], {
      env: {
        ...env,
        ...(portVariable !== undefined && { [portVariable]: String(port) }),
        MANAGEMENT_PORT: String(managementPort),
      },
      detached: true,
      stdio: ['ignore', output, output, 'ipc'],
    })
    closeSync(output)
    child = started
    hit = false
    let over = false
    const ended = new Promise<{ code: number | null; signal: string | null }>(resolve => {
      started.once('error', () => resolve({ code: -1, signal: null }))
      started.once('exit', (code, signal) => resolve({ code, signal }))
    })
    void probe(`http://127.0.0.1:${managementPort}`, () => !over)
    const { code, signal } = await ended
    over = true
    ready = false
    child = undefined
    if (!hit && !stopping)
      crashes.push(`${name} ended by itself (${signal ?? `exit code ${code}`}): ${lastWords(logFile)}`)
    return code
  }

  let lastCode: number | null = null
  const running = (async () => {
    while (!stopping) {
      lastCode = await runOnce()
      if (!stopping) await sleep(RESTART_AFTER_MS)
    }
  })()

  return {
    name,
    /** Unexpected ends: neither a signal of the test nor the stop. */
    crashes,
    get port() {
      return ready ? port : undefined
    },
    get ready() {
      return ready
    },
    get lastAnswer() {
      return `${child === undefined ? 'not running' : `pid ${child.pid}`}: ${lastAnswer}`
    },
    /** When the last question that was answered "ready" was asked. */
    get readyAskedMs() {
      return readyAskedMs
    },
    signal(signal: NodeJS.Signals) {
      if (signal === 'SIGKILL' || signal === 'SIGTERM') {
        hit = true
        ready = false
      }
      child?.kill(signal)
    },
    /** SIGTERM, and SIGKILL when that takes too long. @returns the exit code */
    async stop() {
      stopping = true
      child?.kill('SIGCONT')
      child?.kill('SIGTERM')
      const force = setTimeout(() => child?.kill('SIGKILL'), STOP_GRACE_MS)
      await running
      clearTimeout(force)
      return lastCode
    },
  }
}

export type KeptProcess = ReturnType<typeof keepProcess>

/** Why it ended, as its log says. */
function lastWords(logFile: string): string {
  const lines = readFileSync(logFile, 'utf8').trim().split('\n')
  const last = lines.findLast(line => line.includes('"level":"fatal"')) ?? lines.at(-1) ?? ''
  return last.slice(0, 1_000)
}
