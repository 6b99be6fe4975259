// Each package that ours depend on is chosen on purpose: docs/dependencies.md says what for.
import { spawnSync } from 'node:child_process'
import t from 'tap'
import { git, read, ROOT } from '../repository.js'

const KINDS = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'] as const

const manifests = git('ls-files', 'package.json', '*/package.json').filter(
  file => !file.startsWith('docs/examples/'),
)

t.test('docs/dependencies.md names every direct dependency, and no other package', async t => {
  const used = new Set<string>()
  for (const file of manifests) {
    const manifest = JSON.parse(read(file)) as Partial<Record<(typeof KINDS)[number], object>>
    for (const kind of KINDS) for (const name of Object.keys(manifest[kind] ?? {})) used.add(name)
  }
  const ours = [...used].filter(name => name.startsWith('@payment-tracking/'))
  for (const name of ours) used.delete(name)
  const rows = read('docs/dependencies.md').match(/^\| `[^|]+/gm) ?? []
  const named = rows.flatMap(row => [...row.matchAll(/`([^`]+)`/g)].map(([, name]) => name!))
  t.ok(used.size > 50, 'the manifests were read')
  t.same([...named].sort(), [...used].sort())
})

t.test('each package is the one that was asked for, and npm ls finds nothing wrong', async t => {
  const { overrides } = JSON.parse(read('package.json')) as { overrides: object }
  t.notMatch(JSON.stringify(overrides), /"npm:/, 'no override puts one package in the place of another')
  // Of everything, and of what `npm start` installs.
  for (const omitted of [[], ['--omit=dev']]) {
    const listed = spawnSync('npm', ['ls', '--all', '--package-lock-only', ...omitted], {
      cwd: ROOT,
      encoding: 'utf8',
    })
    t.equal(listed.status, 0, listed.stderr)
  }
})

t.test('npm start installs at most 340 packages on one machine', async t => {
  const { packages } = JSON.parse(read('package-lock.json')) as {
    packages: Record<string, { dev?: true; link?: true; os?: string[]; cpu?: string[]; libc?: string[] }>
  }
  const fits = (wanted: string[] | undefined, own: string) => !wanted || wanted.includes(own)
  const installed = Object.entries(packages).filter(
    ([path, { dev, link, os, cpu, libc }]) =>
      path.includes('node_modules/') &&
      !dev &&
      !link &&
      fits(os, 'linux') &&
      fits(cpu, 'x64') &&
      fits(libc, 'glibc'),
  )
  t.ok(installed.length > 200 && installed.length <= 340, `${installed.length} packages`)
})
