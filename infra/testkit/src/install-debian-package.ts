import { spawnSync } from 'node:child_process'

/** Held while apt works: two test files may need a package at the same moment, and apt would refuse one of them. */
const LOCK = '/tmp/payment-tracking-apt.lock'
const TIMEOUT_MS = 180_000

/**
 * Installs a package on the machine, as root. To use only a package's files, extract the package instead
 * (infra/stack/src/servers/debian-packages.ts).
 * @throws Error with apt-get's message
 */
export function installDebianPackage(name: string): void {
  // RUNLEVEL: apt does not start an installed server.
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' }
  const apt = (...args: string[]) =>
    spawnSync('flock', [LOCK, 'apt-get', '-q', ...args], { env, timeout: TIMEOUT_MS, encoding: 'utf8' })
  const install = () => apt('install', '-y', '--no-install-recommends', name)
  let installed = install()
  if (installed.status !== 0) {
    apt('update')
    installed = install()
  }
  if (installed.status !== 0) throw new Error(`apt-get install ${name} failed: ${installed.stderr}`)
}
