// Applies the filters of webhooks to messages that waited for a recipient or a token. Ingest calls this in the transaction
// of the event that names the recipient or the token.
import type { DeliveryRef } from '@payment-tracking/contracts'
import {
  judgeFilters,
  renderLifecycleMessage,
  type ChainEvent,
  type Lifecycle,
  type LifecyclePolicy,
  type WebhookFilters,
} from '@payment-tracking/domain'
import { readCommittedPayments } from '../committed-payments.js'
import { sql, type Tx } from '../database/sql.js'
import { readSaidFinal } from '../said-final.js'
import { collectMessages, insertMessages, type Address, type EventMessage } from './insert-deliveries.js'
import { insertLifecycleAwaitingFinality, type AwaitingFinality } from './insert-lifecycle.js'

interface WaitingRow {
  webhookId: bigint
  messageId: string
  eventId: string
  policy: string
  lifecycle: Lifecycle | null
  format: string
  finality: string
  filters: WebhookFilters | null
  ordered: boolean
  isActive: boolean
}

interface PolicyRow extends Omit<LifecyclePolicy, 'policyId' | 'totalPaid'> {
  policyId: bigint | null
  totalPaid: string
}

/**
 * Applies the filters of webhooks again to messages that waited for a recipient or a token. Two kinds of waiting messages
 * are judged again. Of the first kind, the policy or the user payment has an event in this batch. Of the second kind, the
 * payment's place in the chain became known. A message that passes the filters gets a delivery. A message that the filters
 * refuse is deleted. A message whose recipient or token is still unknown goes on waiting.
 *
 * Most batches hold no such event and cost no statement here. A batch that does costs one while no message waits.
 * @param events the new events of a batch, already projected
 * @param moved stored events whose place became known
 * @param isFinal whether a new event, or an event of a slot up to the highest final slot, is final
 */
export async function releaseKnown(
  tx: Tx,
  { events, moved }: { events: readonly ChainEvent[]; moved: readonly { id: string }[] },
  isFinal: (cause: { eventId: string; slot: number }) => boolean,
): Promise<DeliveryRef[]> {
  const policies = events.flatMap(({ effect }) => (effect.kind === 'policy-created' ? [effect.policy] : []))
  const userPayments = events.flatMap(({ effect }) =>
    effect.kind === 'user-payment-created' ? [effect.userPayment] : [],
  )
  if (policies.length + userPayments.length + moved.length === 0) return []
  const rows = await tx.$queryRaw<WaitingRow[]>`
    select a.webhook_id as "webhookId", a.message_id as "messageId", a.event_id as "eventId",
           a.payment_policy as policy, a.lifecycle, w.format, w.finality, w.filters, w.ordered,
           w.active and w.deleted_at is null as "isActive"
      from deliveries_awaiting_facts a join webhooks w on w.id = a.webhook_id
     where a.payment_policy = any(${policies}::text[])
        or a.payment_policy in (select address from policies where user_payment = any(${userPayments}::text[]))
        or a.payment_policy in (select payment_policy from events where id = any(${moved.map(({ id }) => id)}::uuid[]))
     order by a.event_id, a.webhook_id`
  if (rows.length === 0) return []

  const facts = await readFacts(tx, rows)
  const saidFinal = await readSaidFinal(
    tx,
    rows.map(({ eventId }) => eventId),
  )
  const messages = collectMessages()
  const addresses: Address[] = []
  const awaitingFinality: AwaitingFinality[] = []
  const decided: WaitingRow[] = []
  for (const row of rows) {
    const { webhookId, format, ordered } = row
    const payment = row.lifecycle === null ? facts.payments.get(row.eventId) : undefined
    const policy = row.lifecycle === null ? undefined : facts.policies.get(row.policy)
    const known = payment ?? policy
    const judged = known && row.isActive ? judgeFilters(row.filters, known) : 'refused'
    if (judged === 'unknown') continue
    decided.push(row)
    if (judged === 'refused') continue
    if (payment) addresses.push({ webhookId, ordered, message: messages.placeOf(payment, format) })
    if (!policy) continue
    const lifecycle = row.lifecycle!
    const { slot } = lifecycle.cause!
    const message: EventMessage & { eventId: string } = {
      ...renderLifecycleMessage(policy, lifecycle),
      eventId: row.eventId,
    }
    const final = isFinal({ eventId: row.eventId, slot }) || saidFinal.has(row.eventId)
    if (row.finality === 'finalized' && !final) awaitingFinality.push({ webhookId, message, slot })
    else addresses.push({ webhookId, ordered, message: messages.all.push(message) })
  }
  await tx.$executeRaw`
    delete from deliveries_awaiting_facts a
     using unnest(${decided.map(({ webhookId }) => webhookId.toString())}::bigint[],
                  ${decided.map(({ messageId }) => messageId)}::text[]) as d (webhook_id, message_id)
     where a.webhook_id = d.webhook_id and a.message_id = d.message_id`
  await insertLifecycleAwaitingFinality(tx, awaitingFinality)
  return insertMessages(tx, addresses, messages.all)
}

/** The present facts of waiting payments by event, and of the policies of waiting life-cycle events by address. */
async function readFacts(tx: Tx, rows: readonly WaitingRow[]) {
  const eventIds = rows.filter(({ lifecycle }) => lifecycle === null).map(({ eventId }) => eventId)
  const addresses = rows.filter(({ lifecycle }) => lifecycle !== null).map(({ policy }) => policy)
  const payments =
    eventIds.length === 0
      ? []
      : await readCommittedPayments(
          statement => tx.$queryRaw(statement),
          sql`e.id = any(${eventIds}::uuid[]) and e.retracted_at is null`,
        )
  const policies =
    addresses.length === 0
      ? []
      : await tx.$queryRaw<PolicyRow[]>`
          select p.address, p.life_start as "incarnationStart", p.family, p.policy_id as "policyId", p.gateway,
                 p.recipient, p.tracking_id as "trackingId", coalesce(p.token_mint, u.token_mint) as "tokenMint",
                 u.owner as payer, p.status, p.payment_count as "paymentCount", p.total_paid::text as "totalPaid",
                 p.next_payment_due as "nextPaymentDue"
            from policies p left join user_payments u on u.address = p.user_payment
           where p.address = any(${addresses}::text[]) and p.life_start is not null and p.gateway is not null`
  return {
    payments: new Map(payments.map(payment => [payment.eventId, payment])),
    policies: new Map(
      policies.map(row => [
        row.address,
        {
          ...row,
          policyId: row.policyId === null ? null : Number(row.policyId),
          totalPaid: BigInt(row.totalPaid),
        },
      ]),
    ),
  }
}
