// Images under the public names that our files use, made without a registry of images.
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { parse } from 'yaml'
import { RELEASE } from './install.js'
import { inHome, ROOT, run, step } from './machine.js'

/** Everything that one of the stand-ins runs, and what the health checks of the compose file call. */
const BASE_PACKAGES = [
  'ca-certificates',
  'libatomic1',
  'libstdc++6',
  'haproxy',
  'nats-server',
  'pgbouncer',
  'redis-sentinel',
  'redis-server',
  'wget',
]
/** The Debian that all stand-ins are made of. */
export const BASE_IMAGE = 'localhost/base'
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt'
const HERE = join(ROOT, 'test/containers/stand-ins')

/** Target in stand-ins/Dockerfile → the name that our files use, with its tag. */
export function readImageNames(): Record<string, string> {
  const node = /^ARG NODE_IMAGE=(\S+)$/m.exec(
    readFileSync(join(ROOT, 'infra/docker/Dockerfile'), 'utf8'),
  )![1]!
  const { services } = parse(readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8'), { merge: true }) as {
    services: Record<string, { image: string }>
  }
  const defaultOf = (service: string) => /^\$\{\w+:-(.+)\}$/.exec(services[service]!.image)![1]!
  return {
    node,
    postgres: defaultOf('postgres'),
    redis: defaultOf('redis'),
    nats: defaultOf('nats'),
    haproxy: defaultOf('edge'),
  }
}

/** One minimal Debian with the servers in it, made once and kept. */
export async function makeBase(): Promise<void> {
  const archive = inHome(`base-${RELEASE}.tar`)
  if (!existsSync(archive)) {
    const skip = ['doc', 'man', 'locale'].map(name => `--dpkgopt=path-exclude=/usr/share/${name}/*`)
    const options = ['--variant=minbase', `--include=${BASE_PACKAGES.join(',')}`, '--dpkgopt=force-unsafe-io']
    await step(`making a Debian ${RELEASE} of its packages`, () =>
      run('mmdebstrap', [...options, ...skip, RELEASE, `${archive}.new.tar`, 'http://deb.debian.org/debian']),
    )
    renameSync(`${archive}.new.tar`, archive)
  }
  if (!(await hasImage(BASE_IMAGE))) await run('podman', ['import', archive, BASE_IMAGE])
}

export const hasImage = (name: string): Promise<boolean> =>
  run('podman', ['image', 'exists', name]).then(
    () => true,
    () => false,
  )

/** The Node.js that the Dockerfile names, from npm. @returns its program */
async function fetchNode(version: string): Promise<string> {
  const folder = inHome(`node-${version}`)
  const program = `node_modules/node-linux-${process.arch}/bin/node`
  if (!existsSync(join(folder, program))) {
    mkdirSync(folder, { recursive: true })
    await run(
      'npm',
      ['install', '--no-save', '--no-audit', '--no-fund', `node-linux-${process.arch}@${version}`],
      {
        cwd: folder,
      },
    )
  }
  return join(folder, program)
}

/** Gathers what stand-ins/Dockerfile copies. */
async function makeContext(nodeImage: string): Promise<string> {
  const context = inHome('stand-ins')
  rmSync(context, { recursive: true, force: true })
  mkdirSync(context, { recursive: true })
  for (const file of readdirSync(HERE)) copyFileSync(join(HERE, file), join(context, file))
  copyFileSync(await fetchNode(/:(\d+\.\d+\.\d+)/.exec(nodeImage)![1]!), join(context, 'node'))
  const npm = join((await run('npm', ['root', '--global'])).trim(), 'npm')
  cpSync(npm, join(context, 'npm'), { recursive: true })
  // Behind a company's proxy the machine trusts more than the public authorities, and npm in the build must too.
  copyFileSync(CERTIFICATES, join(context, 'certificates.pem'))
  writeFileSync(join(context, 'npmrc'), `cafile=${CERTIFICATES}\n`)
  const { findPostgres } = await import('@payment-tracking/stack')
  cpSync(dirname(findPostgres('', undefined).binDir), join(context, 'postgres'), {
    recursive: true,
    verbatimSymlinks: true,
  })
  return context
}

/** Of all that says how stand-ins are made. */
function hashOfRecipes(): string {
  const hash = createHash('sha256')
  for (const file of readdirSync(HERE).sort()) hash.update(file).update(readFileSync(join(HERE, file)))
  return hash.digest('hex')
}

/** Makes every stand-in that is not there yet, and all of them anew when their recipes have changed. */
export async function makeStandIns(): Promise<void> {
  const names = readImageNames()
  const made = inHome('stand-ins.made')
  const hash = hashOfRecipes()
  const isOld = !existsSync(made) || readFileSync(made, 'utf8') !== hash
  const missing: string[] = []
  for (const [target, name] of Object.entries(names))
    if (isOld || !(await hasImage(`docker.io/library/${name}`))) missing.push(target)
  if (missing.length === 0) return
  await makeBase()
  const context = await makeContext(names.node!)
  for (const target of missing) {
    const options = ['--isolation', 'chroot', '--layers', '--pull-never', '--format', 'docker']
    const tag = ['--target', target, '--tag', `docker.io/library/${names[target]}`]
    await step(`image ${names[target]}`, () => run('buildah', ['build', ...options, ...tag, context]))
  }
  rmSync(context, { recursive: true })
  writeFileSync(made, hash)
}
