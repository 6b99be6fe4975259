// Looks into the database whenever somebody outside is told something: what was told must be stored already.
// It reads past the links, by connections of its own; while the server is down it asks again afterwards, for
// what was told must still be there then.
import { openPool, type Pool, type QueryResultRow } from '@payment-tracking/testkit'
import { setTimeout as sleep } from 'node:timers/promises'

export interface CommitChecker {
  pool: Pool
  /** A socket was sent a payment. */
  checkPush(client: string, payment: { eventId: string; seq: number; trackingId: string }): void
  /** A request reached an endpoint, as the `number`th with this id. */
  checkRequest(webhookId: number, messageId: string, number: number): void
  /** What was found wrong, once every question is answered. */
  settle(): Promise<string[]>
  query<Row extends QueryResultRow>(text: string, values?: unknown[]): Promise<Row[]>
  close(): Promise<void>
}

export function openCommitChecker(databaseUrl: string): CommitChecker {
  const pool = openPool(databaseUrl, { max: 6, connectionTimeoutMillis: 2_000 })
  pool.on('error', () => {})
  const problems: string[] = []
  const open = new Set<Promise<void>>()
  const query = async <Row extends QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> => {
    for (;;) {
      try {
        return (await pool.query<Row>(text, values)).rows
      } catch (error) {
        // Of its own making, not of an outage: a person must see it.
        if (/^42/.test((error as { code?: string }).code ?? '')) throw error
        await sleep(100)
      }
    }
  }
  const ask = (work: () => Promise<string | undefined>): void => {
    const asking = work()
      .then(problem => {
        if (problem !== undefined) problems.push(problem)
      })
      .finally(() => open.delete(asking))
    open.add(asking)
  }
  return {
    pool,
    query,
    checkPush: (client, { eventId, seq, trackingId }) =>
      ask(async () => {
        const [row] = await query<{ seq: string; tracking_id: string }>(
          'select seq, tracking_id from events where id = $1',
          [eventId],
        )
        if (!row) return `push: ${client} was told of event ${eventId} before it was stored`
        if (Number(row.seq) === seq && row.tracking_id === trackingId) return undefined
        return `push: ${client} was told of event ${eventId} as seq ${seq}, it is stored as ${row.seq}`
      }),
    checkRequest: (webhookId, messageId, number) =>
      ask(async () => {
        const [row] = await query<{ attempts: string }>(
          `select count(a.id) as attempts from deliveries d join delivery_attempts a on a.delivery_id = d.id
            where d.webhook_id = $1 and d.message_id = $2`,
          [webhookId, messageId],
        )
        const attempts = Number(row?.attempts ?? 0)
        if (attempts >= number) return undefined
        return `attempts: request ${number} of ${messageId} reached webhook ${webhookId}, but ${attempts} attempts are on record`
      }),
    async settle() {
      while (open.size > 0) await Promise.all(open)
      return problems
    },
    close: () => pool.end(),
  }
}
