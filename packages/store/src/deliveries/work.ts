// Work that a request leaves for many deliveries of a webhook. The request changes the webhook's row and writes one row of
// work. Workers then do the work page by page.
//
// cancel      The webhook was turned off or deleted. Its open deliveries already read as cancelled (core/tables/delivery-rows.ts). The work
//             writes this to their rows. For a deleted webhook it also removes the messages that wait for finality or details.
//             The work ends when every transaction that saw the webhook on must have ended.
// redeliver   Begins a new cycle of tries for the deliveries of a span of time.
// replay      Makes the deliveries that the webhook missed (replay-missing.ts).
//
// A page changes at most 500 rows, finds them by an index, and takes one statement of some milliseconds. A page that is done
// again changes nothing, because a redelivery begins no second cycle of a delivery.
import type { WebhookWorkKind } from '../core/tasks/kinds.js'
import type { DeliveryRef } from '@payment-tracking/contracts'
import type { Store } from '../core/database/open-store.js'
import { sql } from '../core/database/sql.js'
import { isNotQuarantined } from '../core/quarantine/isolate.js'
import { endPage } from '../core/tasks/leased-work.js'
import { IS_OPEN } from '../core/tables/delivery-rows.js'
import { endedActivation } from '../core/tables/delivery-ranges.js'
import { cancelPage } from './cancel-page.js'
import { redeliverPage } from './redeliver-page.js'
import { replayPage } from './replay/replay-page.js'
import {
  MOST_OF_PAGE,
  takeWork,
  toCursor,
  type CancelState,
  type Page,
  type WebhookWork,
} from './webhook-work.js'

const CHECK_AGAIN_SECONDS = 5

/** What one page did. */
export interface WebhookWorkPage {
  kind: WebhookWorkKind
  webhookId: bigint
  handled: number
  /** deliveries to enqueue */
  deliveries: DeliveryRef[]
  /** whether another page follows at once */
  hasMore: boolean
}

/**
 * Does one page of the work that waited longest. Any number of workers may call it at once.
 * Bounded: takes one row by work_next, and then at most `limit` deliveries of its webhook, or 500 to cancel, by
 * deliveries_open_webhook or deliveries_webhook_state; no lock outlives a page.
 * @param of.only the webhook of a request that has just written its work
 * @param of.limit the deliveries of a page of redelivery; default 500
 * @returns null when no work is due
 * @throws StoreUnavailableError, StoreTimeoutError: the page comes again
 */
export async function doWebhookWork(
  store: Store,
  of: { kinds: readonly WebhookWorkKind[]; only?: bigint; limit?: number },
): Promise<WebhookWorkPage | null> {
  const work = await takeWork(store, of)
  return work === undefined
    ? null
    : { kind: work.kind, webhookId: work.id, ...(await PAGES[work.kind](store, work, of.limit)) }
}

type DonePage = Omit<WebhookWorkPage, 'kind' | 'webhookId'>

const PAGES: Readonly<
  Record<WebhookWorkKind, (store: Store, work: WebhookWork, limit?: number) => Promise<DonePage>>
> = {
  cancel: async (store, work) => writeProgress(store, work, await cancelPage(store, work)),
  redeliver: async (store, work, limit = MOST_OF_PAGE) =>
    writeProgress(store, work, await redeliverPage(store, work, limit)),
  replay: replayPage,
}

async function writeProgress(store: Store, work: WebhookWork, page: Page): Promise<DonePage> {
  const { handled, deliveries, remaining, delaySeconds } = page
  const done = { handled, deliveries, hasMore: remaining !== null }
  if (remaining !== null) {
    const state = work.kind === 'cancel' ? null : work.state
    await endPage(store, work, { handled, remaining: { cursor: toCursor(remaining), state }, delaySeconds })
    return done
  }
  const isOver =
    work.kind === 'cancel'
      ? sql`${work.isFinished} and not exists (
              select from deliveries d
               where d.webhook_id = ${work.id} and d.activation <= ${endedActivation(work)} and ${IS_OPEN}
                 and ${isNotQuarantined('cancel-deliveries', sql`d.id::text`)})`
      : sql`true`
  if (await endPage(store, work, { handled, remaining: null }, isOver)) return done
  const finishing: CancelState = { isFinishing: true }
  const again = { cursor: '', state: finishing }
  await endPage(store, work, { handled, remaining: again, delaySeconds: CHECK_AGAIN_SECONDS })
  return done
}
