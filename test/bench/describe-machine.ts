import { cpus, totalmem } from 'node:os'
import type { ServerUrls } from '@payment-tracking/stack'
import { natsOptions, queryOnce } from '@payment-tracking/testkit'
import { Redis } from 'ioredis'
import { connect } from 'nats'
import type { Report } from './report.js'

/** Where a run takes place: the machine, and what the servers say of themselves. */
export async function describeMachine(servers: ServerUrls): Promise<Pick<Report, 'machine' | 'versions'>> {
  const rows = await queryOnce<{ version: string }>(
    servers.databaseUrl,
    `select current_setting('server_version') as version`,
  )
  const redis = new Redis(servers.redisUrl)
  const redisVersion = /redis_version:(\S+)/.exec(await redis.info('server'))?.[1] ?? 'unknown'
  redis.disconnect()
  const nats = await connect(natsOptions(servers.natsUrl))
  const natsVersion = nats.info?.version ?? 'unknown'
  await nats.close()
  return {
    machine: `${cpus().length} × ${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB`,
    versions: {
      Node: process.version.slice(1),
      Postgres: rows[0]!.version,
      Redis: redisVersion,
      NATS: natsVersion,
    },
  }
}
