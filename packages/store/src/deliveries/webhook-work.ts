// Work that a request leaves for many deliveries of a webhook. The request changes the webhook's row and writes one row of
// work. Workers then do the work page by page.
//
// cancel      The webhook was turned off or deleted. Its open deliveries already read as cancelled (core/tables/delivery-rows.ts). The work
//             writes this to their rows. For a deleted webhook it also removes the messages that wait for finality or details.
//             The work ends when every transaction that saw the webhook on must have ended.
// redeliver   Begins a new cycle of tries for the deliveries of a span of time.
// replay      Makes the deliveries that the webhook missed (replay-missing.ts).
//
// A page changes at most 500 rows, finds them by an index, and takes some milliseconds. A page that is done again changes nothing,
// because a redelivery begins no second cycle of a delivery.
import { raw, sql, type Store } from '../core/database/sql.js'
import { IS_ACTIVE } from '../core/tables/delivery-rows.js'
import type { WebhookWorkKind } from '../core/tasks/kinds.js'
import { runTask, type PageOptions } from '../core/tasks/run-task.js'
import { underLease } from '../core/tasks/under-lease.js'
import { MAX_PAGE_ROWS, type Work } from '../core/tasks/work-table.js'
import { cancelPage } from './cancel-page.js'
import { redeliverPage } from './redeliver-page.js'
import { replayPage } from './replay/replay-page.js'
import type { WebhookPage, WebhookWork } from './webhook-page.js'

/** What one page did. */
export interface WebhookWorkPage extends Pick<WebhookPage, 'handled' | 'deliveries' | 'hasMore'> {
  kind: WebhookWorkKind
  webhookId: bigint
}

/** Longer than any transaction that writes deliveries may take. */
const FINISHED_SECONDS = raw('120')

const PAGES = { cancel: cancelPage, redeliver: redeliverPage, replay: replayPage }

const taskOf = (kind: WebhookWorkKind) =>
  underLease(async (store, work, rows): Promise<WebhookPage> => {
    const [webhook] = await store.database.read<Omit<WebhookWork, keyof Work>>(sql`
      select w.id, ${IS_ACTIVE} as "isActive", w.activation, w.deleted_at is not null as "isDeleted",
             coalesce(greatest(w.turned_off_at, w.deleted_at)
                      < clock_timestamp() - make_interval(secs => ${FINISHED_SECONDS}), true) as "isFinished"
        from webhooks w where w.id = ${BigInt(work.key)}`)
    return webhook
      ? PAGES[kind](store, { ...work, ...webhook }, rows)
      : { done: [work], handled: 0, deliveries: [], hasMore: false }
  })

/**
 * Does one page of work (`runTask`). Any number of workers may call it at once.
 * Bounded: takes one row of work by the index work_order. Then it takes at most `limit` deliveries of the webhook, by the index
 * deliveries_open_webhook or deliveries_webhook_state. No lock outlives a page.
 * @param of.only the webhook of a request that has just written its work
 * @param of.limit the deliveries of a page; default 500
 * @returns null when no work is due
 * @throws StoreUnavailableError, StoreTimeoutError: the page comes again
 */
export async function doWebhookWork(
  store: Store,
  {
    kinds,
    only,
    limit = MAX_PAGE_ROWS,
    order,
  }: { kinds: readonly WebhookWorkKind[]; only?: bigint; limit?: number; order?: PageOptions['order'] },
): Promise<WebhookWorkPage | null> {
  const [done] = await runTask(store, Object.fromEntries(kinds.map(kind => [kind, taskOf(kind)])), {
    sizer: { rowsOf: () => limit, note: () => {} },
    order,
    only: only?.toString(),
  })
  if (done === undefined) return null
  const { handled, deliveries, hasMore } = done.page
  const { kind, key } = done.work
  return { kind: kind as WebhookWorkKind, webhookId: BigInt(key), handled, deliveries, hasMore }
}
