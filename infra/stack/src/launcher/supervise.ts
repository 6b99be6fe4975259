// Supervises one service process. States: starting → ready → (ended) → backing off → starting …; stopping ends the process.
// The supervisor starts the service again whenever it ends, after a backoff that doubles with each failure. The supervisor
// gives up a process that keeps ending, because an operator must find the reason.
import { spawn, type ChildProcess } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findFreePort, identify, signalProcess, type ProcessIdentity } from '../servers/index.js'
import { FOLLOW_PARENT } from './followers.js'
import { describeReadiness, isReady } from './readiness.js'
import { findConfigProblem, rotate, tail } from './service-log.js'
import type { ServiceSpec } from './service-specs.js'

const FIRST_BACKOFF_MS = 250
const LONGEST_BACKOFF_MS = 10_000
/** Ends in a row, each within this time of its start, after which the supervisor gives the service up. */
const GIVE_UP_AFTER = 5
const SOON_MS = 20_000

export interface SupervisedService {
  readonly name: string
  readonly identity: ProcessIdentity | undefined
  /** The port of the service; undefined while the service does not run, or when it serves nothing. */
  readonly port: number | undefined
  readonly managementUrl: string | undefined
  readonly ready: boolean
  /** Rejects when the supervisor gives the service up; never resolves otherwise. */
  readonly failed: Promise<never>
  /**
   * The part that is not ready, as /readyz or the process reports it; undefined when the service has become ready
   * meanwhile.
   */
  whyNotReady(): Promise<string | undefined>
  stop(signal: NodeJS.Signals): Promise<void>
}

export interface SuperviseOptions {
  spec: ServiceSpec
  env: NodeJS.ProcessEnv
  dataDir: string
  log: (line: string) => void
  onChange: () => void
}

export function superviseService({ spec, env, dataDir, log, onChange }: SuperviseOptions): SupervisedService {
  const logFile = join(dataDir, 'logs', `${spec.name}.log`)
  let child: ChildProcess | undefined
  let identity: ProcessIdentity | undefined
  let port: number | undefined
  let managementUrl: string | undefined
  let ready = false
  let failures = 0
  let loggedBefore = 0
  const stopping = new AbortController()
  let giveUp: (reason: Error) => void = () => {}
  const failed = new Promise<never>((_, reject) => (giveUp = reject))
  failed.catch(() => {})

  /** Starts the process and resolves with how it ended. */
  const runOnce = async (): Promise<string> => {
    // Another process may take a free port at any time, so each start looks for a port again.
    const { variable = 'PORT', wanted, fixed } = spec.port ?? {}
    port = spec.port && (fixed ? wanted : await findFreePort(failures === 0 ? wanted : undefined))
    const managementPort = await findFreePort()
    if (stopping.signal.aborted) return 'stopped'
    loggedBefore = rotate(logFile)
    const output = openSync(logFile, 'a')
    child = spawn(process.execPath, ['--enable-source-maps', ...FOLLOW_PARENT, spec.main], {
      env: {
        ...(spec.inherits ? Object.fromEntries(spec.inherits.map(name => [name, env[name]])) : env),
        ...spec.env,
        ...(port !== undefined && { [variable]: String(port) }),
        MANAGEMENT_PORT: String(managementPort),
      },
      // A separate process group: the terminal's Ctrl-C reaches only the launcher, which knows the order.
      detached: true,
      stdio: ['ignore', output, output, 'ipc'],
    })
    closeSync(output)
    managementUrl = `http://127.0.0.1:${managementPort}`
    identity = child.pid === undefined ? undefined : identify(child.pid)
    const ended = new Promise<string>(resolve => {
      child!.once('error', error => resolve(error.message))
      child!.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`))
    })
    let over = false
    void ended.then(() => (over = true))
    while (!over && !ready && !stopping.signal.aborted) {
      ready = await isReady(managementUrl)
      if (!ready) await sleep(100)
    }
    if (!over && ready) onChange()
    return ended
  }

  const supervise = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const startedAt = Date.now()
      const how = await runOnce()
      const wasReady = ready
      ready = false
      child = undefined
      identity = undefined
      if (stopping.signal.aborted) return
      onChange()
      failures = Date.now() - startedAt < SOON_MS ? failures + 1 : 1
      const refusal = wasReady ? undefined : findConfigProblem(logFile, loggedBefore)
      if (refusal) return giveUp(new Error(`${spec.name} cannot start: ${refusal}`))
      const what = `${spec.name} ended (${how})${wasReady ? '' : ' before it was ready'}`
      if (failures >= GIVE_UP_AFTER) {
        giveUp(new Error(`${what}, ${failures} times in a row. The end of ${logFile}:\n${tail(logFile)}`))
        return
      }
      const backoffMs = Math.min(FIRST_BACKOFF_MS * 2 ** (failures - 1), LONGEST_BACKOFF_MS)
      log(`${what}; starting it again in ${backoffMs} ms (its log: ${logFile})`)
      await sleep(backoffMs, undefined, { signal: stopping.signal }).catch(() => {})
    }
  }
  const over = supervise()
  over.catch(giveUp)

  return {
    name: spec.name,
    failed,
    get identity() {
      return identity
    },
    get port() {
      return ready ? port : undefined
    },
    get managementUrl() {
      return managementUrl
    },
    get ready() {
      return ready
    },
    whyNotReady: async () => (identity ? describeReadiness(managementUrl!) : 'it is not running'),
    async stop(signal) {
      stopping.abort()
      if (identity) signalProcess(identity, signal)
      await over.catch(() => {})
    },
  }
}
