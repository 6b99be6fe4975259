// The deliveries of one webhook by their state, as everybody reads it: an open delivery that is not live is cancelled.
// Each part is a range of an index, so a page costs the same whatever else the webhook has.
import type { DeliveryState } from '@payment-tracking/domain'
import { join, sql, type RunStatement, type Sql } from '../database/sql.js'
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

/** Before and after every id. */
const [FIRST, LAST] = [0n, 2n ** 63n - 1n]

interface DeliveryKeys {
  /** only deliveries with a higher id */
  after?: bigint
  /** only deliveries with a lower id */
  before?: bigint
}

interface DeliveryRange {
  which: Sql
  /** its columns, for an order */
  order: readonly Sql[]
}

/**
 * Rows that an open delivery's index or the index by state has one after the other. The webhook is the first column of a range and of
 * the order: with a webhook that it sees, Postgres may read the deliveries of all webhooks in the order of their ids.
 */
function rangesOf(
  webhook: WebhookActivation,
  state: DeliveryState,
  { after = FIRST, before = LAST }: DeliveryKeys,
): DeliveryRange[] {
  const { id, isActive, activation } = webhook
  const rowsIn = (rowState: DeliveryState): DeliveryRange => ({
    which: sql`(d.webhook_id, d.state, d.id) > (${id}, ${rowState}, ${after})
      and (d.webhook_id, d.state, d.id) < (${id}, ${rowState}, ${before})`,
    order: [sql`d.webhook_id`, sql`d.state`, sql`d.id`],
  })
  if (state === 'pending' || state === 'waiting') {
    const { which, order } = rowsIn(state)
    return isActive ? [{ which: sql`${which} and d.activation = ${activation}`, order }] : []
  }
  if (state !== 'cancelled') return [rowsIn(state)]
  const ended = sql`d.webhook_id = ${id} and ${IS_OPEN} and d.activation <= ${endedActivation(webhook)}
    and d.id > ${after} and d.id < ${before}`
  const unwritten = isActive ? [{ which: ended, order: [sql`d.id`] }] : [rowsIn('pending'), rowsIn('waiting')]
  return [rowsIn(state), ...unwritten]
}

/**
 * The ids and times of a webhook's deliveries in some states, as a table without a name: at most `limit` of each range,
 * in no order.
 * Relies on deliveries_webhook_state, and on deliveries_open_webhook for rows that a webhook which is on again left open.
 * @param columns `d.id` first; with the id alone the rows themselves need not be read
 */
export function deliveriesIn(
  webhook: WebhookActivation,
  states: readonly DeliveryState[],
  {
    order,
    limit,
    columns = sql`d.id, d.created_at`,
    ...keys
  }: DeliveryKeys & { order: 'asc' | 'desc'; limit: number; columns?: Sql },
): Sql {
  const ordered = (by: readonly Sql[]) =>
    join(by.map(column => (order === 'asc' ? column : sql`${column} desc`)))
  const ranges = states.flatMap(state => rangesOf(webhook, state, keys))
  const parts = ranges.map(
    ({ which, order: by }) =>
      sql`(select ${columns} from deliveries d where ${which} order by ${ordered(by)} limit ${limit})`,
  )
  // Of an inactive webhook nothing is pending or waiting.
  if (parts.length === 0) return sql`(select 0::bigint as id, now() as created_at where false)`
  return sql`(${join(parts, ' union all ')})`
}
