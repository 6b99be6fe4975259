import { randomBytes } from 'node:crypto'
import { openBus } from '@payment-tracking/bus'
import { openQueue } from '@payment-tracking/queue'
import { openBoardQueue } from '@payment-tracking/queue/board'
import { createLogger, readConfig } from '@payment-tracking/runtime'
import { openStore } from '@payment-tracking/store/core'
import {
  createDatabase,
  inRoleOf,
  useNats,
  useRedis,
  waitFor,
  type TestContext,
} from '@payment-tracking/testkit'
import { buildApp } from '../src/app.js'
import { OpsConfig } from '../src/config.js'

export const TOKEN = 'a token for tests, long enough'

export async function openOps(t: TestContext, settings: Record<string, string> = {}) {
  const database = await createDatabase(t)
  const redis = await useRedis(t)
  const nats = await useNats(t)
  const given = {
    DATABASE_URL: database.url,
    REDIS_URL: redis.url,
    NATS_URL: nats.url,
    SUBJECT_PREFIX: nats.subjectPrefix,
    STREAM_NAME: nats.stream,
    OPS_TOKEN: TOKEN,
    PUBLIC_ORIGINS: 'https://pay.example, https://another.example',
    LOG_LEVEL: 'silent',
    ...settings,
  }
  const config = readConfig(OpsConfig, inRoleOf('ops', given))
  const log = createLogger('ops', config)
  const store = openStore({ DATABASE_URL: config.DATABASE_URL, poolSize: 2 })
  const bus = await openBus({ NATS_URL: config.NATS_URL }, 'ops-test', log)
  const queue = openQueue(config)
  const board = openBoardQueue(config)
  // Whoever publishes makes the stream; the dashboard may not.
  await nats.addStream()
  await waitFor(() => queue.ping().then(() => true), { what: 'the queue' })
  const app = await buildApp({ config, log, store, bus, queue, board })
  t.teardown(async () => {
    await app.close()
    await board.close()
    await queue.close()
    await bus.close()
    await store.close()
  })
  let sequence = 0
  return {
    app,
    database,
    nats,
    queue,
    /** Another process of the dashboard, on the same servers. */
    async openAnother() {
      const another = await buildApp({ config, log, store, bus, queue, board })
      t.teardown(() => another.close())
      return another
    },
    async addDeadLetter(letter: {
      bytes: Buffer
      subject?: string
      code?: string
      reason?: string
      size?: number
    }) {
      const { bytes, subject, code = 'NOT_JSON', reason = 'the bytes are not JSON', size } = letter
      const { rows } = await database.pool.query<{ id: string }>(
        `insert into dead_letters (stream, stream_created_at, stream_sequence, subject, code, reason, bytes, size)
         values ('S', now(), $1, $2, $3, $4, $5, $6) returning id`,
        [++sequence, subject ?? `${nats.subjectPrefix}.unparsed`, code, reason, bytes, size ?? bytes.length],
      )
      return rows[0]!.id
    },
    /** A failed delivery of a webhook. @returns its id */
    async addFailedDelivery({ active } = { active: true }) {
      const { rows } = await database.pool.query<{ id: string }>(
        `with w as (insert into webhooks (gateway, endpoint_url, secret, active)
                    values ('gateway', 'https://shop.example/<hook>', $2, $1) returning id),
              m as (insert into messages (gateway, type, message_id, body) values ('gateway', '', '', '{}') returning id)
         insert into deliveries (webhook_id, message_id, type, message, state, attempts_made, finished_at, last_error)
         select w.id, 'msg_' || w.id, 'payment.executed', m.id, 'failed', 4, now(), 'timeout' from w, m returning id`,
        [active, `whsec_${randomBytes(32).toString('base64')}`],
      )
      return rows[0]!.id
    },
  }
}

export type TestOps = Awaited<ReturnType<typeof openOps>>
