// Programs the container tests need, all from Debian: those of the machine's release are installed, those of a later
// release are only unpacked below HOME.
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { inHome, run } from './machine.js'

/** Program and the package that holds it. */
const INSTALLED = {
  buildah: 'buildah',
  // podman makes the first process of a pod with it.
  catatonit: 'catatonit',
  iptables: 'iptables',
  podman: 'podman',
  runc: 'runc',
  jq: 'jq',
  mmdebstrap: 'mmdebstrap',
}
/** podman calls these by their place; they are on no PATH. */
const LIBRARIES = { '/usr/lib/podman/netavark': 'netavark', '/usr/lib/podman/aardvark-dns': 'aardvark-dns' }

/** The Debian release of the base images, and of programs that the machine's release has too old or not at all. */
export const RELEASE = 'trixie'
const UNPACKED = {
  'docker-compose': 'usr/libexec/docker/cli-plugins/docker-compose',
  kustomize: 'usr/bin/kustomize',
}
export type UnpackedProgram = keyof typeof UNPACKED

export const programPath = (name: UnpackedProgram): string => inHome('programs', UNPACKED[name])

const isOnPath = (name: string) =>
  [...(process.env.PATH ?? '').split(':'), '/usr/sbin'].some(folder => existsSync(`${folder}/${name}`))

/** As in the testkit: one at a time, no questions, and no server is started. */
const apt = (...args: string[]) =>
  run('flock', ['/tmp/payment-tracking-apt.lock', 'apt-get', '-q', ...args], {
    env: { DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' },
  })

/** @throws what apt-get said */
export async function installPrograms(): Promise<void> {
  const needed = [
    ...Object.entries(INSTALLED).filter(([name]) => !isOnPath(name)),
    ...Object.entries(LIBRARIES).filter(([file]) => !existsSync(file)),
  ].map(([, debianPackage]) => debianPackage)
  if (needed.length === 0) return
  const install = () => apt('install', '-y', '--no-install-recommends', ...needed)
  await install().catch(() => apt('update').then(install))
}

/** Downloads and unpacks the programs that are only unpacked. */
export async function unpackPrograms(): Promise<void> {
  const missing = (Object.keys(UNPACKED) as UnpackedProgram[]).filter(name => !existsSync(programPath(name)))
  if (missing.length > 0) await unpack(missing)
}

/** Downloads packages of RELEASE, checked by apt against Debian's keys, and unpacks them. Both are static enough to run. */
async function unpack(packages: readonly string[]): Promise<void> {
  const work = inHome('apt')
  for (const folder of ['lists/partial', 'cache/archives/partial', 'debs'])
    mkdirSync(`${work}/${folder}`, { recursive: true })
  const keys = '/usr/share/keyrings/debian-archive-keyring.gpg'
  writeFileSync(
    `${work}/sources.list`,
    `deb [signed-by=${keys}] http://deb.debian.org/debian ${RELEASE} main\n`,
  )
  const options = [
    `Dir::Etc::sourcelist=${work}/sources.list`,
    'Dir::Etc::sourceparts=-',
    `Dir::State::lists=${work}/lists`,
    `Dir::Cache=${work}/cache`,
    'APT::Sandbox::User=root',
  ].flatMap(option => ['-o', option])
  await run('apt-get', ['-q', ...options, 'update'])
  const debs = `${work}/debs`
  await run('apt-get', ['-q', ...options, 'download', ...packages.map(name => `${name}/${RELEASE}`)], {
    cwd: debs,
  })
  for (const file of readdirSync(debs)) await run('dpkg-deb', ['-x', `${debs}/${file}`, inHome('programs')])
  rmSync(work, { recursive: true })
}
