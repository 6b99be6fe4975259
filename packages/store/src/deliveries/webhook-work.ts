// A row of work of a webhook: what each page of it reads, and what a page did.
import type { DeliveryRef } from '@payment-tracking/contracts'
import type { DeliveryState } from '@payment-tracking/domain'
import type { Store } from '../core/database/open-store.js'
import { raw, sql } from '../core/database/sql.js'
import { IS_ACTIVE } from '../core/tables/delivery-rows.js'
import type { WebhookActivation } from '../core/tables/delivery-ranges.js'
import type { WebhookWorkKind } from '../core/tasks/kinds.js'
import { takingWork } from '../core/tasks/leased-work.js'

/** What a redelivery was asked for. */
export interface RedeliveryState {
  /** when its deliveries were made, as ISO 8601 */
  madeSince: string
  madeUntil: string
  states: DeliveryState[]
}

/** All found rows are written. Transactions that saw the webhook on may still commit rows: the work checks again. */
export interface CancelState {
  isFinishing: true
}

export interface WebhookWork extends WebhookActivation {
  kind: WebhookWorkKind
  key: string
  version: bigint
  cursor: string
  state: RedeliveryState | CancelState | null
  addedAt: Date
  gateway: string
  isDeleted: boolean
  /** nobody can have seen the webhook on, and not have committed */
  isFinished: boolean
}

/** The delivery after which the next page begins. */
export interface DeliveryKey {
  activation: number
  id: bigint
}

export interface Page {
  handled: number
  /** of a redelivery: to be enqueued */
  deliveries: DeliveryRef[]
  /** null when all found rows are written */
  remaining: DeliveryKey | null
  /** how long the next page waits */
  delaySeconds?: number
}

export const toCursor = ({ activation, id }: DeliveryKey): string => `${activation} ${id}`

export function deliveryKeyOf({ cursor }: WebhookWork): DeliveryKey {
  const [activation = '0', id = '0'] = cursor.split(' ')
  return { activation: Number(activation), id: BigInt(id || '0') }
}

/** The most deliveries of a page. */
export const MOST_OF_PAGE = 500
/** Longer than any transaction that writes deliveries may take. */
const FINISHED_SECONDS = raw('120')

/** Takes one row of work, by work_next. */
export async function takeWork(
  { database }: Store,
  { kinds, only }: { kinds: readonly WebhookWorkKind[]; only?: bigint },
): Promise<WebhookWork | undefined> {
  const [work] = await database.write<WebhookWork>(sql`
    with k as (${takingWork(kinds, only?.toString())})
    select k.kind, k.key, k.version, k.cursor, k.state, k.since as "addedAt",
           w.id, w.gateway, ${IS_ACTIVE} as "isActive", w.activation, w.deleted_at is not null as "isDeleted",
           coalesce(greatest(w.turned_off_at, w.deleted_at)
                    < clock_timestamp() - make_interval(secs => ${FINISHED_SECONDS}), true) as "isFinished"
      from k join webhooks w on w.id = k.key::bigint`)
  return work
}
