import type { DeliveryRef, CommittedPayment } from '@payment-tracking/contracts'
import { renderPaymentMessage } from '@payment-tracking/domain'
import type { Store } from '../database/open-store.js'
import { empty, sql, type Tx } from '../database/sql.js'

/**
 * Writes the deliveries of new payments: one row for each active webhook of each payment's gateway, in the
 * transaction that stores the payments. A row that exists already is left alone, so a replay makes no second.
 *
 * Two statements whatever the number of payments. Relies on webhooks_gateway_idx and, to refuse doubles, on
 * deliveries_webhook_id_message_id_key. Takes no lock on webhooks: a webhook that is deactivated meanwhile
 * gets its rows cancelled when a worker claims them.
 * @param traceParents by event, when payments are traced; without it the column is not written
 * @returns the rows that were written, for `enqueueDeliveries` once the transaction has committed
 */
export async function insertDeliveriesIn(
  tx: Tx,
  payments: readonly CommittedPayment[],
  traceParents?: ReadonlyMap<string, string>,
): Promise<DeliveryRef[]> {
  if (payments.length === 0) return []
  const gateways = [...new Set(payments.map(payment => payment.gateway))]
  const webhooks = await tx.$queryRaw<{ id: bigint; gateway: string }[]>(sql`
    select id, gateway from webhooks
     where gateway = any(${gateways}::text[]) and active and deleted_at is null`)
  if (webhooks.length === 0) return []

  const webhooksOf = new Map<string, bigint[]>()
  for (const { id, gateway } of webhooks) {
    const ids = webhooksOf.get(gateway)
    if (ids) ids.push(id)
    else webhooksOf.set(gateway, [id])
  }
  const told = payments.filter(payment => webhooksOf.has(payment.gateway))
  const messages = told.map(renderPaymentMessage)
  // A body travels once, whatever the number of webhooks it goes to.
  const rows = told.flatMap((payment, index) =>
    (webhooksOf.get(payment.gateway) ?? []).map(webhookId => ({ webhookId, index: index + 1 })),
  )
  const [column, value, traces] = traceParents
    ? [
        sql`, trace_parent`,
        sql`, m.trace_parent`,
        sql`, ${told.map(payment => traceParents.get(payment.eventId) ?? null)}::text[]`,
      ]
    : [empty, empty, empty]
  return tx.$queryRaw<DeliveryRef[]>(sql`
    insert into deliveries (webhook_id, event_id, message_id, type, body${column})
    select r.webhook_id, m.event_id, m.message_id, m.type, m.body${value}
      from unnest(${rows.map(row => row.webhookId.toString())}::bigint[],
                  ${rows.map(row => row.index)}::integer[]) as r (webhook_id, message)
      join unnest(${told.map(payment => payment.eventId)}::uuid[],
                  ${messages.map(message => message.id)}::text[],
                  ${messages.map(message => message.type)}::text[],
                  ${messages.map(message => message.body)}::text[]${traces})
           with ordinality as m (event_id, message_id, type, body${column}, ordinal) on m.ordinal = r.message
     order by m.ordinal, r.webhook_id
    on conflict (webhook_id, message_id) do nothing
    returning id, webhook_id as "webhookId"`)
}

/** `insertDeliveriesIn` in a transaction of its own, for payments that are stored already. */
export const insertDeliveries = (
  { database }: Store,
  payments: readonly CommittedPayment[],
  traceParents?: ReadonlyMap<string, string>,
): Promise<DeliveryRef[]> =>
  database.transaction(tx => insertDeliveriesIn(tx, payments, traceParents), {
    maxWait: 10_000,
    timeout: 60_000,
  })
