// The progress of `work.ts`, for operators.
import type { Store } from '../database/open-store.js'
import { raw, sql } from '../database/sql.js'
import type { WebhookWorkKind } from './work.js'

export interface WebhookWorkProgress {
  kind: WebhookWorkKind
  webhookId: bigint
  gateway: string
  endpointUrl: string
  /** rows that are written */
  handled: bigint
  /** nothing is left; the work looks again for a while */
  isSettling: boolean
  addedAt: Date
}

/** Oldest first. */
export const listWebhookWork = (
  { database }: Store,
  limit: number,
): Promise<readonly WebhookWorkProgress[]> =>
  database.read<WebhookWorkProgress>(sql`
    select k.kind, k.webhook_id as "webhookId", w.gateway, w.endpoint_url as "endpointUrl", k.handled,
           k.is_settling as "isSettling", k.added_at as "addedAt"
      from webhook_work k join webhooks w on w.id = k.webhook_id
     order by k.is_settling, k.id limit ${limit}`)

/** How much of the oldest 10,000 rows of work is not done, by kind, and the age of the oldest in seconds. Kinds without work are left out. */
export const countWebhookWork = ({
  database,
}: Store): Promise<readonly { kind: WebhookWorkKind; count: number; oldestSeconds: number }[]> =>
  database.read(sql`
    select kind, count(*)::int as count,
           greatest(0, extract(epoch from clock_timestamp() - min(added_at)))::float8 as "oldestSeconds"
      from (select * from webhook_work where not is_settling order by id limit ${raw('10000')}) k group by kind order by kind`)
