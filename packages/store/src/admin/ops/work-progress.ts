// The progress of tasks, for operators: what ingest does in pages (ingest/batch/do-work.ts), and workers (deliveries/webhook-work.ts).
import { sql, type Store } from '../../core/database/sql.js'
import { eachOf } from '../../core/tasks/work-table.js'
import { INGEST_KINDS, WEBHOOK_KINDS, type WebhookWorkKind } from '../../core/tasks/kinds.js'

export interface TaskProgress {
  /** of `INGEST_KINDS` */
  kind: string
  address: string
  /** pages that are done */
  pages: bigint
  since: Date
}

/** In the order in which their next pages are done. Relies on work_order. */
export const listTasks = ({ database }: Store, limit: number): Promise<readonly TaskProgress[]> =>
  database.read<TaskProgress>(sql`
    select w.kind, w.key as address, w.handled as pages, w.since from ${eachOf(INGEST_KINDS)}
     order by w.kind = 'hour', w.next_at limit ${limit}`)

export interface WebhookWorkProgress {
  kind: WebhookWorkKind
  webhookId: bigint
  gateway: string
  endpointUrl: string
  /** rows that are written */
  handled: bigint
  /** nothing is left; the work checks again for a while */
  isFinishing: boolean
  addedAt: Date
}

const IS_FINISHING = sql`coalesce((k.state ->> 'isFinishing')::boolean, false)`

/** Oldest first. */
export const listWebhookWork = (
  { database }: Store,
  limit: number,
): Promise<readonly WebhookWorkProgress[]> =>
  database.read<WebhookWorkProgress>(sql`
    select k.kind, w.id as "webhookId", w.gateway, w.endpoint_url as "endpointUrl", k.handled,
           ${IS_FINISHING} as "isFinishing", k.since as "addedAt"
      from (select w.* from ${eachOf(WEBHOOK_KINDS)}) k join webhooks w on w.id = k.key::bigint
     order by ${IS_FINISHING}, k.since, w.id limit ${limit}`)

/** How much work is not done, of at most 10,000 rows of a kind, by kind, and the age of the oldest in seconds. Kinds without work are left out. */
export const countWebhookWork = ({
  database,
}: Store): Promise<readonly { kind: WebhookWorkKind; count: number; oldestSeconds: number }[]> =>
  database.read(sql`
    select kind, count(*)::int as count,
           greatest(0, extract(epoch from clock_timestamp() - min(since)))::float8 as "oldestSeconds"
      from (select w.* from ${eachOf(WEBHOOK_KINDS)}) k where not ${IS_FINISHING} group by kind order by kind`)
