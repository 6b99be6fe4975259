// Messages for webhooks whose filters cannot decide yet, because the recipient or the token is not known. release-known.ts
// applies the filters later.
import type { Lifecycle } from '@payment-tracking/domain'
import type { Tx } from '../database/sql.js'

export interface AwaitingFacts {
  webhookId: bigint
  messageId: string
  eventId: string
  policy: string
  /** what happened to the policy; null for payments */
  lifecycle: Lifecycle | null
}

export async function insertAwaitingFacts(tx: Tx, waiting: readonly AwaitingFacts[]): Promise<void> {
  if (waiting.length === 0) return
  await tx.$executeRaw`
    insert into deliveries_awaiting_facts (webhook_id, message_id, event_id, payment_policy, lifecycle)
    select w.webhook_id, w.message_id, w.event_id, w.payment_policy, w.lifecycle::json
      from unnest(${waiting.map(({ webhookId }) => webhookId.toString())}::bigint[],
                  ${waiting.map(({ messageId }) => messageId)}::text[],
                  ${waiting.map(({ eventId }) => eventId)}::uuid[],
                  ${waiting.map(({ policy }) => policy)}::text[],
                  ${waiting.map(({ lifecycle }) => (lifecycle === null ? null : toText(lifecycle)))}::text[])
           as w (webhook_id, message_id, event_id, payment_policy, lifecycle)
    on conflict do nothing`
}

/** An event of the chain has no due date, and JSON has no bigint. */
const toText = (lifecycle: Lifecycle): string => JSON.stringify({ ...lifecycle, dueAt: null })
