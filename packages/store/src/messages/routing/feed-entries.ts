// What happened at a gateway in the order in which it was stored: valid payments, and what events said of policies. With
// it, whoever was not notified then is notified later.
import { CHAIN_LIFECYCLE_TYPES, PAYMENT_MESSAGE_TYPE } from '@payment-tracking/domain'
import { runIn } from '../../core/database/database.js'
import { sql, type Sql, type Tx } from '../../core/database/sql.js'
import { gatewayPayments } from '../../core/tables/gateway-payments.js'
import { toLifecycle, type StoredLifecycle, type WaitingMessage } from '../waiting/waiting-messages.js'

/** The key of a page in that order. */
export interface FeedPosition {
  position: bigint
  /** in the feed; 0 of a payment, which comes before the rest of its position */
  sequence: bigint
}

/** As the message waits for a webhook. A payment has neither life cycle nor body: its details are read when it is sent. */
export interface FeedEntry extends Omit<WaitingMessage, 'webhookId' | 'waitsFor'> {
  eventId: string
  slot: number
  at: FeedPosition
  /** not of a payment that was taken back, or that awaits its policy: it is sent when the policy comes */
  isNotified: boolean
}

interface FeedRow extends Omit<FeedEntry, 'slot' | 'lifecycle' | 'at'>, FeedPosition {
  slot: bigint
  lifecycle: StoredLifecycle | null
}

/** Of an event `e` that is a payment. */
const PAYMENT = sql`
  e.position, 0::bigint as sequence, e.id::text as message_id, e.id as event_id, e.slot, e.payment_policy as policy,
  ${PAYMENT_MESSAGE_TYPE}::text as type, null::json as lifecycle, null::text as body,
  e.retracted_at is null and not e.awaits_policy as is_notified`

/** Of a message `f` of the feed, and its event `e`. */
const LIFECYCLE = sql`
  f.position, f.sequence, f.message_id, f.event_id, e.slot, e.payment_policy as policy, f.type, f.lifecycle, f.body,
  true as is_notified`

const payments = (gateway: string, after: FeedPosition, last: bigint, limit: number): Sql => sql`
  (select ${PAYMENT} from ${gatewayPayments(gateway, after.position, last, limit)} e)`

const lifecycles = (
  gateway: string,
  after: FeedPosition,
  last: bigint,
  types: readonly string[],
  limit: number,
): Sql => sql`
  (select ${LIFECYCLE}
     from feed_messages f join events e on e.id = f.event_id and e.retracted_at is null
    where f.gateway = ${gateway} and (f.position, f.sequence) > (${after.position}, ${after.sequence})
      and f.position <= ${last} and f.lifecycle is not null and f.type = any(${[...types]}::text[])
    order by f.position, f.sequence limit ${limit})`

/**
 * The next entries of a gateway after a key, up to a position.
 * Relies on gateway_payments and feed_messages_lifecycles: a page costs the same whatever else a gateway has. What types leave
 * out is passed over.
 */
export async function readFeedEntries(
  tx: Tx,
  gateway: string,
  of: { after: FeedPosition; last: bigint; types: readonly string[]; limit: number },
): Promise<FeedEntry[]> {
  const { after, last, types, limit } = of
  const parts = types.includes(PAYMENT_MESSAGE_TYPE) ? payments(gateway, after, last, limit) : null
  const others = lifecycles(gateway, after, last, types, limit)
  return readEntries(tx, parts === null ? others : sql`${parts} union all ${others}`, limit)
}

/** The entries that some events are: payments, or what they said of policies. Relies on the keys of events and of messages by event. */
export const readFeedEntriesOf = (
  tx: Tx,
  gateway: string,
  eventIds: readonly string[],
): Promise<FeedEntry[]> =>
  readEntries(
    tx,
    sql`
    select ${PAYMENT} from events e
     where e.id = any(${[...eventIds]}::uuid[]) and e.gateway = ${gateway} and e.amount is not null
    union all
    select ${LIFECYCLE} from feed_messages f join events e on e.id = f.event_id and e.retracted_at is null
     where f.event_id = any(${[...eventIds]}::uuid[]) and f.gateway = ${gateway} and f.lifecycle is not null`,
    eventIds.length * MOST_OF_AN_EVENT,
  )

/** One message of a type. */
const MOST_OF_AN_EVENT = CHAIN_LIFECYCLE_TYPES.length + 1

async function readEntries(tx: Tx, entries: Sql, limit: number): Promise<FeedEntry[]> {
  const rows = await runIn(tx)<FeedRow>(sql`
    select n.position, n.sequence, n.message_id as "messageId", n.event_id as "eventId", n.slot, n.policy, n.type, n.lifecycle, n.body,
           n.is_notified as "isNotified"
      from (${entries}) n
     order by n.position, n.sequence limit ${limit}`)
  return rows.map(({ position, sequence, slot, lifecycle, ...row }) => ({
    ...row,
    at: { position, sequence },
    slot: Number(slot),
    lifecycle: lifecycle && toLifecycle(lifecycle),
  }))
}
