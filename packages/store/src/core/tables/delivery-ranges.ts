// The deliveries of one webhook by their state, as everybody reads it: an open delivery that is not live is cancelled.
// Each part is a range of an index, so a page costs the same whatever else the webhook has.
import type { DeliveryState } from '@payment-tracking/domain'
import type { RunStatement } from '../database/database.js'
import { join, sql, type Sql } from '../database/sql.js'
import { hidden } from '../database/hidden.js'
import { IS_ACTIVE, IS_OPEN } from './delivery-rows.js'

/** What decides which open deliveries of a webhook are live. */
export interface WebhookActivation {
  id: bigint
  isActive: boolean
  activation: number
}

/** @returns undefined when there is no such webhook; deleted ones are found until the retention removes them */
export async function readActivation(run: RunStatement, id: bigint): Promise<WebhookActivation | undefined> {
  const [webhook] = await run<WebhookActivation>(sql`
    select w.id, ${IS_ACTIVE} as "isActive", w.activation from webhooks w where w.id = ${id}`)
  return webhook
}

/** Of a gateway's webhooks that are not deleted. */
export const readActivations = (run: RunStatement, gateway: string): Promise<readonly WebhookActivation[]> =>
  run<WebhookActivation>(sql`
    select w.id, ${IS_ACTIVE} as "isActive", w.activation from webhooks w
     where w.gateway = ${gateway} and w.deleted_at is null`)

/** The highest activation whose open deliveries are cancelled. */
export const endedActivation = ({ isActive, activation }: WebhookActivation): number =>
  isActive ? activation - 1 : activation

function rangesOf(webhook: WebhookActivation, state: DeliveryState): Sql[] {
  const { id, isActive, activation } = webhook
  // With a state that it sees, Postgres may read the failures of all webhooks in their order by deliveries_failed.
  const rowsIn = (rowState: DeliveryState) =>
    sql`d.webhook_id = ${id} and d.state = ${hidden(sql`${rowState}::text`)}`
  if (state === 'pending' || state === 'waiting')
    return isActive ? [sql`${rowsIn(state)} and d.activation = ${activation}`] : []
  if (state !== 'cancelled') return [rowsIn(state)]
  const unwritten = isActive
    ? [sql`d.webhook_id = ${id} and ${IS_OPEN} and d.activation <= ${endedActivation(webhook)}`]
    : [rowsIn('pending'), rowsIn('waiting')]
  return [rowsIn(state), ...unwritten]
}

/**
 * The ids and times of a webhook's deliveries in some states, as a table without a name: at most `limit` of each range,
 * in no order.
 * Relies on deliveries_webhook_state, and on deliveries_open_webhook for rows that a webhook which is on again left open.
 * @param beyond a condition on `d.id`
 * @param columns `d.id` first; with the id alone the rows themselves need not be read
 */
export function deliveriesIn(
  webhook: WebhookActivation,
  states: readonly DeliveryState[],
  {
    beyond,
    order,
    limit,
    columns = sql`d.id, d.created_at`,
  }: { beyond: Sql; order: 'asc' | 'desc'; limit: number; columns?: Sql },
): Sql {
  const ordered = order === 'asc' ? sql`order by d.id` : sql`order by d.id desc`
  const ranges = states.flatMap(state => rangesOf(webhook, state))
  const parts = ranges.map(
    range =>
      sql`(select ${columns} from deliveries d where ${range} and ${beyond} ${ordered} limit ${limit})`,
  )
  // Of an inactive webhook nothing is pending or waiting.
  if (parts.length === 0) return sql`(select 0::bigint as id, now() as created_at where false)`
  return sql`(${join(parts, ' union all ')})`
}
