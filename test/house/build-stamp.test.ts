// When `npm start` and `npm test` may leave out the build.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'

const { readBuildStamp } = (await import(
  fileURLToPath(new URL('../../scripts/set-up/build-stamp.mjs', import.meta.url))
)) as { readBuildStamp: (root: string) => { isFresh: boolean; write: () => void } }

/** A repository that has just been built. */
function built(t: { testdir(content: Record<string, unknown>): string }): string {
  const workspace = () => ({ 'package.json': '{}', src: { 'a.ts': '1' }, dist: { 'a.js': '1' }, test: {} })
  const root = t.testdir({
    'package-lock.json': '{}',
    prisma: { 'schema.prisma': '' },
    packages: { one: workspace() },
    services: { two: workspace() },
    infra: { stack: workspace() },
  })
  readBuildStamp(root).write()
  return root
}

t.test('a build is left out while nothing has changed', async t => {
  const root = built(t as never)
  t.ok(readBuildStamp(root).isFresh)
  writeFileSync(join(root, 'packages/one/test/a.test.ts'), '')
  t.ok(readBuildStamp(root).isFresh, 'tests are not built')
})

const CHANGES: Record<string, (root: string) => void> = {
  'a source of a package': root => writeFileSync(join(root, 'packages/one/src/a.ts'), '2'),
  'a source of the launcher': root => writeFileSync(join(root, 'infra/stack/src/a.ts'), '2'),
  'a new source': root => writeFileSync(join(root, 'services/two/src/b.ts'), ''),
  'a source that is gone': root => rmSync(join(root, 'services/two/src/a.ts')),
  'the packages of tests, once they are installed': root => {
    // Where npm puts it.
    mkdirSync(join(root, 'node_modules/turbo'), { recursive: true })
    writeFileSync(join(root, 'node_modules/turbo/package.json'), '{}')
  },
  'the lock file': root => writeFileSync(join(root, 'package-lock.json'), '{ }'),
  'the schema of the database': root => writeFileSync(join(root, 'prisma/schema.prisma'), '// new'),
  'a built file that was written by hand': root => writeFileSync(join(root, 'packages/one/dist/a.js'), '22'),
  'a built file that is gone': root => rmSync(join(root, 'services/two/dist/a.js')),
}
for (const [what, change] of Object.entries(CHANGES)) {
  t.test(`${what} makes the next start build`, async t => {
    const root = built(t as never)
    change(root)
    t.notOk(readBuildStamp(root).isFresh)
  })
}

t.test('an edit during a build makes the next start build again', async t => {
  const root = built(t as never)
  const stamp = readBuildStamp(root)
  writeFileSync(join(root, 'packages/one/src/a.ts'), 'edited')
  stamp.write()
  t.notOk(readBuildStamp(root).isFresh)
})
