// Looks into the database whenever a client gets a payment: the payment must be stored already. The checker uses its
// own connections, past the links. While the server is down it repeats the check afterwards, because the payment must
// still be stored then.
import type { SocketPayment } from '@payment-tracking/contracts'
import { openPool, SENT, type QueryResultRow } from '@payment-tracking/testkit'
import { setTimeout as sleep } from 'node:timers/promises'

/** A database that lost commits is noticed by every service within this time. */
const NOTICED_WITHIN_MS = 15_000

export function openCommitChecker(databaseUrl: string) {
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
  let forgivenUntilMs = -1
  const report = (askedMs: number, problem: string): void => {
    if (askedMs > forgivenUntilMs) problems.push(problem)
  }
  const ask = (work: () => Promise<string | undefined>): void => {
    const askedMs = performance.now()
    const asking = work()
      .then(problem => {
        if (problem !== undefined) report(askedMs, problem)
      })
      .finally(() => open.delete(asking))
    open.add(asking)
  }
  return {
    pool,
    query,
    /** Something was asked at a moment, and the answer was wrong, unless it may be of the lost past. */
    report,
    /** A socket was sent a payment. */
    checkPush: (client: string, { eventId, seq, trackingId, position }: SocketPayment) =>
      ask(async () => {
        const [row] = await query<{ seq: string; tracking_id: string; position: string }>(
          'select seq, tracking_id, position from events where id = $1',
          [eventId],
        )
        if (!row) return `push: ${client} was told of event ${eventId} before it was stored`
        const told = `seq ${seq} of ${trackingId} at ${position}`
        const stored = `seq ${row.seq} of ${row.tracking_id} at ${row.position}`
        if (told === stored) return undefined
        return `push: ${client} was told of event ${eventId} as ${told}, it is stored as ${stored}`
      }),
    /** A request reached an endpoint, as the `number`th with this id. */
    checkRequest: (webhookId: number, messageId: string, number: number) =>
      ask(async () => {
        const [row] = await query<{ attempts: string }>(
          `select count(a.number) as attempts from ${SENT} d join delivery_attempts a on a.delivery_id = d.id
            where d.webhook_id = $1 and d.message_id = $2`,
          [webhookId, messageId],
        )
        const attempts = Number(row?.attempts ?? 0)
        if (attempts >= number) return undefined
        return `attempts: request ${number} of ${messageId} reached webhook ${webhookId}, but ${attempts} attempts are on record`
      }),
    /** A request of a payment reached an endpoint that wants to hear only of what is final. */
    checkFinal: (webhookId: number, messageId: string) =>
      ask(async () => {
        const [row] = await query<{ final: boolean }>(
          `select e.commitment = 'finalized' or e.slot <= (select finalized_slot from stream_head) as final
             from ${SENT} d join events e on e.id = d.event_id where d.webhook_id = $1 and d.message_id = $2`,
          [webhookId, messageId],
        )
        if (row?.final === true) return undefined
        return `finality: ${messageId} reached webhook ${webhookId} before its payment was final`
      }),
    /**
     * The database may have lost commits a moment ago: what is told until every service has noticed may be of the lost
     * past, so questions that were asked until then prove nothing.
     */
    forgive() {
      forgivenUntilMs = performance.now() + NOTICED_WITHIN_MS
    },
    /** What was found wrong, once every question is answered. */
    async drain() {
      while (open.size > 0) await Promise.all(open)
      return problems
    },
    close: () => pool.end(),
  }
}

export type CommitChecker = ReturnType<typeof openCommitChecker>
