// Runs one private server from start to stop. The server has its own process group, so that Ctrl-C in the terminal does
// not end it before the services that use it.
import { spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ServerFailedError } from '../errors.js'
import { findFreePort, findQuietPort } from './ports.js'
import {
  identify,
  isAlive,
  signalProcess,
  stopProcess,
  waitForDeath,
  type ProcessIdentity,
} from './processes.js'
import { makePrivateFolder } from './private-folder.js'
import type { PreparedServer, ServerKind, ServerSetup } from './server-kind.js'

/** A server that reads much data, or a machine that is busy, takes long. */
const START_TIMEOUT_MS = 90_000
const STOP_GRACE_MS = 5_000

export interface RunningServer {
  readonly name: ServerKind['name']
  /** The name for messages. */
  readonly title: string
  readonly logFile: string
  readonly url: string
  readonly port: number
  readonly pid: number
  /** True when the server was already running. */
  readonly adopted: boolean
  /** False from the server's death until its next start. */
  isAlive(): boolean
  /** SIGKILL, as in a crash: nothing is flushed or closed. Resolves when the server is dead. */
  kill(): Promise<void>
  /** Starts the server again, and stops it before if it runs; port, password and data stay the same. */
  restart(): Promise<void>
  /** Asks the server to stop, and does not wait. */
  signalStop(): void
  close(): Promise<void>
}

interface Remembered extends ProcessIdentity {
  port: number
}

/**
 * Finds a running server of an earlier start, or starts the server.
 * @throws ServerMissingError, ServerFailedError
 */
export async function openServer(kind: ServerKind, setup: ServerSetup): Promise<RunningServer> {
  const stateFile = join(setup.dataDir, 'servers', `${kind.name}.json`)
  makePrivateFolder(join(setup.dataDir, 'servers'))
  const prepared = await kind.prepare(setup)
  const remembered = readState(stateFile)
  let process: Remembered | undefined
  if (remembered && isAlive(remembered)) {
    if (await prepared.answers(remembered.port)) process = remembered
    else await stopProcess(remembered, kind.stopSignal, STOP_GRACE_MS)
  }
  const adopted = process !== undefined
  const firstPort = async () => remembered?.port ?? (setup.quietPort ? await findQuietPort() : kind.usualPort)
  let current = process ?? (await start(kind, prepared, setup, stateFile, await firstPort()))
  const stop = async () => {
    await stopProcess(current, kind.stopSignal, STOP_GRACE_MS)
    rmSync(stateFile, { force: true })
  }
  let closing: Promise<void> | undefined
  return {
    name: kind.name,
    title: kind.title,
    logFile: logFileOf(kind, setup),
    url: prepared.url(current.port),
    port: current.port,
    adopted,
    get pid() {
      return current.pid
    },
    isAlive: () => isAlive(current),
    async kill() {
      signalProcess(current, 'SIGKILL')
      await waitForDeath(current, STOP_GRACE_MS)
    },
    async restart() {
      await stopProcess(current, kind.stopSignal, STOP_GRACE_MS)
      current = await start(kind, prepared, setup, stateFile, current.port, true)
    },
    signalStop: () => signalProcess(current, kind.stopSignal),
    close: () => (closing ??= stop()),
  }
}

const logFileOf = (kind: ServerKind, setup: ServerSetup): string =>
  join(setup.dataDir, 'logs', `${kind.name}.log`)

/** @param samePort other processes know the address: wait for the port instead of taking another port */
async function start(
  kind: ServerKind,
  prepared: PreparedServer,
  setup: ServerSetup,
  stateFile: string,
  wantedPort: number,
  samePort = false,
): Promise<Remembered> {
  const logFile = logFileOf(kind, setup)
  makePrivateFolder(join(setup.dataDir, 'logs'))
  const end = Date.now() + START_TIMEOUT_MS
  for (let attempt = 1; ; attempt += 1) {
    const port = samePort ? wantedPort : await findFreePort(attempt === 1 ? wantedPort : undefined)
    const { file, args, env, uid, gid } = prepared.command(port)
    const output = openSync(logFile, 'a')
    const child = spawn(file, args, {
      cwd: '/',
      env: { ...globalThis.process.env, ...env },
      detached: true,
      stdio: ['ignore', output, output],
      ...(uid !== undefined && { uid }),
      ...(gid !== undefined && { gid }),
    })
    closeSync(output)
    const failure = new Promise<string>(resolve => {
      child.once('error', error => resolve(error.message))
      child.once('exit', (code, signal) => resolve(`it ended with ${signal ?? `exit code ${code}`}`))
    })
    child.unref()
    let reason: string | undefined
    void failure.then(text => (reason = text))
    if (child.pid !== undefined) {
      const state = { ...identify(child.pid), port }
      // Written before the server answers: if the launcher is killed now, the next launcher must find the server.
      writeFileSync(stateFile, JSON.stringify(state))
      while (reason === undefined && Date.now() < end) {
        if ((await prepared.answers(port)) && isAlive(state)) return state
        await sleep(20)
      }
      await stopProcess(state, 'SIGKILL', STOP_GRACE_MS)
    }
    // Another process took the port, or the children of a killed Postgres still run.
    if (attempt < 5 && Date.now() < end) {
      await sleep(200)
      continue
    }
    throw new ServerFailedError(
      `${kind.title} did not start: ${reason ?? `no answer within ${START_TIMEOUT_MS} ms`}. ` +
        `The end of ${logFile}:\n${tail(logFile)}`,
    )
  }
}

const tail = (file: string): string =>
  readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .slice(-5)
    .map(line => `  ${line}`)
    .join('\n')

function readState(file: string): Remembered | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Remembered
  } catch {
    return undefined
  }
}
