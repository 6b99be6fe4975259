import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createDatabase, startService, useRedis, type TestContext } from '@payment-tracking/testkit'
import t from 'tap'

/** Its api, types and functions that do nothing, is loaded by prom-client. */
const OF_TRACING = /@opentelemetry\/(?!api\/)|runtime\/(dist|src)\/tracing\/sdk\.[jt]s/

/** Runs a service until it is ready. @returns the files that Node ran, as it writes them down itself */
async function filesRunBy(
  t: TestContext,
  name: string,
  env: Record<string, string | undefined>,
): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'payment-tracking-loaded-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const service = await startService(t, name, { ...env, NODE_V8_COVERAGE: folder })
  await service.stop()
  const urls = readdirSync(folder).flatMap(file => {
    const { result } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as { result: { url: string }[] }
    return result.map(({ url }) => url)
  })
  return urls.filter(url => url.startsWith('file:')).map(url => fileURLToPath(url))
}

/** The files that were bundled into this one, as its source map names them. */
const bundledIn = (file: string): string[] =>
  (JSON.parse(readFileSync(`${file}.map`, 'utf8')) as { sources: string[] }).sources

t.test('while tracing is off nothing of OpenTelemetry is loaded', async t => {
  const database = await createDatabase(t)
  const redis = await useRedis(t)
  const env = { DATABASE_URL: database.url, REDIS_URL: redis.url }
  const files = await filesRunBy(t, 'webhook-worker', env)
  const bundles = files.filter(file => existsSync(`${file}.map`) && file.includes('/dist/bundles/'))
  const loaded = [...files, ...bundles.flatMap(bundledIn)]
  for (const known of [/runtime\/src\/tracing\/open-tracing\.ts$/, /@opentelemetry\/api\//]) {
    const isLoaded = loaded.some(file => known.test(file))
    t.ok(isLoaded, `it is seen that ${known.source} is loaded`)
  }
  const traced = loaded.filter(file => OF_TRACING.test(file))
  t.same(traced, [])
})
