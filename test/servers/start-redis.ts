// Redis in roles that the tests' shared server does not have: replica, Sentinel, node of a cluster.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findQuietPort, findServerProgram } from '@payment-tracking/stack'
import { startProgram, waitFor, type TestContext } from '@payment-tracking/testkit'
import { Redis } from 'ioredis'

/** @param settings lines of redis.conf; with `sentinel` lines the server is a Sentinel */
export async function startRedis(t: TestContext, settings: readonly string[] = []) {
  const [port, busPort] = [await findQuietPort(), await findQuietPort()]
  const dir = await mkdtemp(join(tmpdir(), 'payment-tracking-redis-'))
  const file = join(dir, 'redis.conf')
  const common = ['bind 127.0.0.1', `port ${port}`, `dir ${dir}`]
  const isNode = settings.includes('cluster-enabled yes')
  const isSentinel = settings.some(line => line.startsWith('sentinel '))
  const stored = isSentinel ? [] : ['appendonly no', 'save ""', 'maxmemory-policy noeviction']
  const ofNode = isNode ? [`cluster-port ${busPort}`] : []
  await writeFile(file, [...common, ...stored, ...ofNode, ...settings].join('\n'))
  const program = await findServerProgram('redis')
  const args = [file, ...(isSentinel ? ['--sentinel'] : [])]
  t.teardown(() => rm(dir, { recursive: true, force: true }))
  const start = async () => {
    const server = startProgram(t, program.file, args, { env: program.env })
    const client = new Redis({ port, host: '127.0.0.1', retryStrategy: () => 50, maxRetriesPerRequest: 0 })
    client.on('error', () => {})
    await waitFor(() => client.ping().then(() => true), { what: `Redis on port ${port}` })
    client.disconnect()
    return server
  }
  let server = await start()
  return {
    port,
    /** of the bus between nodes of a cluster: by Redis' own choice it is among those of outgoing connections, and may be taken */
    busPort,
    url: `redis://127.0.0.1:${port}`,
    get pid() {
      return server.pid
    },
    kill: () => server.kill(),
    /** Starts the killed server again, without its data. */
    restart: async () => {
      server = await start()
    },
  }
}

export type OwnRedis = Awaited<ReturnType<typeof startRedis>>
