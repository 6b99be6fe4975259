// The migrations are the truth; schema.prisma must say the same, and Prisma's own tools must agree that our
// runner left nothing to do.
import { spawn } from 'node:child_process'
import { cpSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createDatabase } from '@payment-tracking/testkit'
import t from 'tap'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

function runPrisma(databaseUrl: string, ...args: string[]): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, ['node_modules/prisma-cli/build/index.js', ...args], {
    cwd: ROOT,
    env: {
      ...process.env,
      DATABASE_URL: databaseUrl,
      PRISMA_SCHEMA_ENGINE_BINARY: 'packages/store/test/schema-engine.mjs',
      PRISMA_HIDE_UPDATE_MESSAGE: '1',
    },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => (output += chunk))
  }
  return new Promise(resolve => child.once('close', code => resolve({ code, output })))
}

/** The files below a folder, by their path in it. */
const readTexts = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter(path => path.endsWith('.ts'))
      .sort()
      .map(path => [path, readFileSync(join(folder, path), 'utf8')]),
  )

t.test('Prisma agrees with what the migrations made', { jobs: 2 }, async t => {
  const { url } = await createDatabase(t)

  t.test('schema.prisma describes the very tables', { buffered: true }, async t => {
    const args = [
      '--from-config-datasource',
      '--to-schema',
      'prisma/schema.prisma',
      '--script',
      '--exit-code',
    ]
    const { code, output } = await runPrisma(url, 'migrate', 'diff', ...args)
    t.equal(code, 0, output)
  })

  t.test('prisma migrate deploy finds nothing to do', { buffered: true }, async t => {
    const { code, output } = await runPrisma(url, 'migrate', 'deploy')
    t.equal(code, 0, output)
    t.match(output, 'No pending migrations to apply')
  })

  t.test(
    'upgrade guard: prisma generate writes the client that the build uses',
    { buffered: true },
    async t => {
      const folder = t.testdir({ prisma: {} })
      const schema = join(folder, 'prisma/schema.prisma')
      cpSync(join(ROOT, 'prisma/schema.prisma'), schema)
      const { code, output } = await runPrisma(url, 'generate', '--schema', schema)
      t.equal(code, 0, output)
      const generated = readTexts(join(folder, 'packages/store/src/generated'))
      t.same(generated, readTexts(join(ROOT, 'packages/store/src/generated')))
    },
  )
})
