// The migrations are the truth; schema.prisma must say the same, and Prisma's own tools must agree that our
// runner left nothing to do.
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { createDatabase } from '@payment-tracking/testkit'
import t from 'tap'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

function runPrisma(databaseUrl: string, ...args: string[]): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, ['node_modules/prisma/build/index.js', ...args], {
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
})
