// A container engine of the tests' own: podman with its own storage, which answers Docker's API on a socket.
import { spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { waitFor } from '@payment-tracking/testkit'
import { ENGINE_ENV, HOME, inHome, run, SOCKET } from './machine.js'

/**
 * In a sandbox without CAP_SYS_RESOURCE the kernel refuses to raise limits, and runc would not start. Everything else
 * of the container stays as its file says.
 */
const RUNC = `#!/bin/sh
without() { jq "$1" "$2" > "$2.new" && mv "$2.new" "$2"; }
previous=
for argument; do
  case $previous in
    # A container, and a command in a container that runs.
    --bundle) without 'del(.process.rlimits, .process.oomScoreAdj)' "$argument/config.json" ;;
    --process) without 'del(.rlimits)' "$argument" ;;
  esac
  previous=$argument
done
exec runc "$@"
`

/** Writes the settings that ENGINE_ENV names. crun refuses the mixed cgroups of some machines; runc does not. */
export function writeEngineSettings(): void {
  mkdirSync(inHome('networks'), { recursive: true })
  writeFileSync(inHome('runc'), RUNC)
  chmodSync(inHome('runc'), 0o755)
  writeFileSync(
    inHome('containers.conf'),
    `[engine]
cgroup_manager = "cgroupfs"
events_logger = "file"
runtime = "runc-with-limits-of-the-machine"
[engine.runtimes]
runc-with-limits-of-the-machine = ["${inHome('runc')}"]
[network]
network_backend = "netavark"
network_config_dir = "${inHome('networks')}"
`,
  )
  writeFileSync(
    inHome('storage.conf'),
    `[storage]
driver = "overlay"
graphroot = "${inHome('storage')}"
runroot = "${inHome('run')}"
`,
  )
  writeFileSync(
    inHome('registries.conf'),
    'unqualified-search-registries = ["docker.io"]\nshort-name-mode = "permissive"\n',
  )
}

/** One call of podman's API. @returns the status and the body */
export function ask(method: string, path: string): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const call = request({ socketPath: SOCKET, path, method }, response => {
      let body = ''
      response.setEncoding('utf8').on('data', (chunk: string) => (body += chunk))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }))
      response.on('error', reject)
    })
    call.on('error', reject)
    call.end()
  })
}

const API = '/v4.0.0/libpod'

/** How often a container that has said to be healthy is asked again: each question starts four processes. */
const HEALTHY_EVERY_MS = 60_000

/** systemd's timers would ask for health; here there may be no systemd. */
async function watchHealth(signal: AbortSignal): Promise<void> {
  const askAgainAt = new Map<string, number>()
  const healthOf = async (id: string) => {
    if ((askAgainAt.get(id) ?? 0) > Date.now()) return
    const { status, body } = await ask('GET', `${API}/containers/${id}/healthcheck`)
    const isHealthy = status === 200 && (JSON.parse(body) as { Status: string }).Status === 'healthy'
    // 409 is a container without a health check, or one that has just ended.
    askAgainAt.set(id, Date.now() + (isHealthy || status >= 400 ? HEALTHY_EVERY_MS : 500))
  }
  while (!signal.aborted) {
    try {
      const { body } = await ask('GET', `${API}/containers/json`)
      for (const { Id, State } of JSON.parse(body) as { Id: string; State: string }[])
        if (State === 'running') await healthOf(Id)
    } catch {
      // Containers come and go, and so does the socket at the end.
    }
    await sleep(500, undefined, { signal }).catch(() => {})
  }
}

export interface Engine {
  close(): Promise<void>
}

/** Removes every container, pod, volume and network of the tests' storage, such as those of a run that was killed. */
async function clear(): Promise<void> {
  await run('podman', ['pod', 'rm', '--all', '--force', '--time', '0'])
  await run('podman', ['rm', '--all', '--force', '--time', '0', '--volumes'])
  await run('podman', ['volume', 'prune', '--force'])
  await run('podman', ['network', 'prune', '--force'])
}

/**
 * Starts the API and the health checks.
 * @throws when another run uses the same storage
 */
export async function openEngine(): Promise<Engine> {
  if (existsSync(SOCKET) && (await ask('GET', '/_ping').catch(() => undefined)))
    throw new Error(`another run of these tests uses ${HOME}; CONTAINERS_DIR names another folder`)
  await clear()
  rmSync(SOCKET, { force: true })
  const service = spawn('podman', ['system', 'service', '--time=0', `unix://${SOCKET}`], {
    env: { ...process.env, ...ENGINE_ENV },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  // Where systemd does not run it misses its timers for each health check; watchHealth does their work.
  createInterface(service.stderr).on('line', line => {
    if (!/systemd|syslog|IdleTracker/.test(line)) console.error(line)
  })
  const ended = new Promise(resolve => service.once('exit', resolve))
  await waitFor(async () => existsSync(SOCKET) && (await ask('GET', '/_ping')).status === 200, {
    what: "an answer of podman's API",
  })
  const stopping = new AbortController()
  const watching = watchHealth(stopping.signal)
  return {
    async close() {
      stopping.abort()
      await watching
      await clear()
      service.kill('SIGTERM')
      await ended
    },
  }
}
