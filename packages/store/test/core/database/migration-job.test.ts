// The job that migrates a deployment, as its own process.
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { readMigrations } from '@payment-tracking/store/core'
import { queryOnce, useServers } from '@payment-tracking/testkit'
import t from 'tap'

const PROGRAM = fileURLToPath(new URL('../../../dist/migrate-main.js', import.meta.url))
/** Nothing listens there. */
const NOWHERE = 'postgresql://nobody@127.0.0.1:1/nothing'

t.test('MIGRATION_DATABASE_URL leads past the pooler of DATABASE_URL, also from a file', async t => {
  const { databaseUrl } = await useServers(t)
  const url = new URL(databaseUrl)
  url.pathname = `/test_${randomBytes(6).toString('hex')}`
  const dir = await mkdtemp(join(tmpdir(), 'payment-tracking-migration-'))
  t.teardown(async () => {
    await queryOnce(databaseUrl, `drop database if exists ${url.pathname.slice(1)} with (force)`)
    await rm(dir, { recursive: true })
  })
  const file = join(dir, 'url')
  await writeFile(file, `${url.href}\n`)
  const migrate = async (settings: Record<string, string>) => {
    const env = { PATH: process.env.PATH, ...settings }
    const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM], { env })
    return (JSON.parse(stdout) as { applied: string[] }).applied
  }
  const applied = await migrate({ DATABASE_URL: NOWHERE, MIGRATION_DATABASE_URL: url.href })
  const all = (await readMigrations()).map(({ name }) => name)
  t.strictSame(applied, all, 'migrates where MIGRATION_DATABASE_URL says')
  t.strictSame(await migrate({ DATABASE_URL: NOWHERE, MIGRATION_DATABASE_URL_FILE: file }), [])
  t.strictSame(await migrate({ DATABASE_URL: url.href }), [], 'without it the same database is migrated')
})
