// The log of what gateways are told: one row a message, made once. Deliveries are addresses of it, and the feed of a gateway is a
// range of it.
//
// A payment that is told with its own batch has its place by its position alone. The position is also its id. Every other message
// gets a number from the last statements of its transaction, which hold the feed's lock until the commit. So numbers are in the order
// of commits, and a reader that goes on after one skips nothing. Nobody asks for another lock while holding it: there is no deadlock.
import { PAYMENT_MESSAGE_TYPE, type DeliveryMessage } from '@payment-tracking/domain'
import { columnTable } from '../database/columns.js'
import { bigints, raw, sql, type Sql, type Tx } from '../database/sql.js'
import { keepBody } from './payment-bodies.js'

/** A message of the log. */
export interface LoggedMessage extends DeliveryMessage {
  gateway: string
  /** null for what time causes */
  eventId: string | null
  /** of a payment: of its event, as text */
  position?: string | null
  /** JSON of what an event says of a policy */
  lifecycle?: string | null
}

const PLACED = columnTable<LoggedMessage & { form: number | null }>('m', {
  position: ['bigint', ({ position }) => position],
  gateway: ['text', ({ gateway }) => gateway],
  message_id: ['text', ({ id }) => id],
  event_id: ['uuid', ({ eventId }) => eventId],
  form: ['smallint', ({ form }) => form],
  body: ['text', ({ body }) => body, 'lines'],
})

const LATER = columnTable<LoggedMessage & { nth: number }>('m', {
  nth: ['integer', ({ nth }) => nth],
  gateway: ['text', ({ gateway }) => gateway],
  type: ['text', ({ type }) => type],
  message_id: ['text', ({ id }) => id],
  event_id: ['uuid', ({ eventId }) => eventId],
  body: ['text', ({ body }) => body, 'lines'],
  lifecycle: ['json', ({ lifecycle }) => lifecycle],
})

interface Unnumbered {
  id: bigint
  gateway: string
}

const unnumberedOf = new WeakMap<Tx, Unnumbered[]>()

/** The gateways whose feeds a transaction goes on with. @param payments of its own batch */
export const feedsOf = (tx: Tx, payments: readonly { gateway: string }[]): string[] => [
  ...new Set([...payments, ...(unnumberedOf.get(tx) ?? [])].map(({ gateway }) => gateway)),
]

/** @returns a function that forgets what was logged since: it was undone */
export function markMessages(tx: Tx): () => void {
  const kept = unnumberedOf.get(tx)?.length ?? 0
  return () => void unnumberedOf.get(tx)?.splice(kept)
}

/** Sends a statement without waiting for it, where the transaction can. */
const send = (tx: Tx & { send?: (statement: Sql) => void }, statement: Sql): Promise<unknown> =>
  tx.send ? Promise.resolve(tx.send(statement)) : tx.$executeRaw(statement)

/**
 * Writes payments of the batch that is being stored, with their events: their bodies need them. The id of each is its position, which no
 * other row has. SQL: one text a column, and a statement that nobody waits for.
 */
export async function logPlaced(tx: Tx, payments: readonly LoggedMessage[]): Promise<void> {
  if (payments.length === 0) return
  await send(
    tx,
    sql`
      insert into messages (id, gateway, position, sequence, type, message_id, event_id, form, body)
      select m.position, m.gateway, m.position, 0, ${PAYMENT_TYPE}, m.message_id, m.event_id, m.form, m.body
        from ${PLACED.listOf(payments.map(payment => ({ ...payment, ...keepBody(payment) })))}`,
  )
}

/**
 * Writes messages whose place is after all that is committed. Existing rows stay: what was sent once stays byte for byte. A payment is
 * here when its tracking ID became known after its own batch. A tracking ID that is known stays known, so no payment stands in its own
 * place too. Relies on messages_event_key and messages_message_key. SQL: one text a column.
 */
export async function logMessages(tx: Tx, messages: readonly LoggedMessage[]): Promise<void> {
  if (messages.length === 0) return
  const rows = await tx.$queryRaw<Unnumbered[]>`
    insert into messages (gateway, position, type, message_id, event_id, body, lifecycle)
    select m.gateway, 0, m.type, m.message_id, m.event_id, m.body, m.lifecycle
      from ${LATER.listOf(messages.map((message, nth) => ({ ...message, nth })))}
     order by m.nth
    on conflict do nothing returning id, gateway`
  const unnumbered = unnumberedOf.get(tx)
  if (unnumbered) unnumbered.push(...rows)
  else unnumberedOf.set(tx, rows)
}

/** The number is arbitrary and unused elsewhere. */
const FEED_LOCK = raw('741120261127')

/**
 * Numbers what a transaction logged, as its last statements. A transaction that logged nothing to be numbered sends nothing, and takes
 * no lock. SQL: a lock, and a position that is read in the statement.
 */
export async function numberMessages(tx: Tx): Promise<void> {
  const unnumbered = unnumberedOf.get(tx) ?? []
  if (unnumbered.length === 0) return
  unnumberedOf.delete(tx)
  await tx.$executeRaw`select pg_advisory_xact_lock(${FEED_LOCK})`
  await tx.$executeRaw`
    update messages m set sequence = n.sequence, position = h.position
      from (select k.id, nextval('messages_sequence_seq') as sequence
              from (select id from unnest(${bigints(unnumbered.map(({ id }) => id))}) with ordinality k (id, nth) order by nth) k) n
      join stream_head h on h.id = 1
     where m.id = n.id`
}

/**
 * The message of the log that is the row `k`, with the columns gateway, payment (its event's position), event_id, type and message_id, as
 * a table of one `id` or none. Relies on the key of messages, messages_event_key and messages_message_key.
 */
export const loggedAs = (k: Sql): Sql => sql`(
  (select m.id from messages m
    where m.id = ${k}.payment and ${k}.type = ${PAYMENT_TYPE} and m.message_id = ${k}.message_id collate "C" limit 1)
  union all
  (select m.id from messages m
    where m.event_id = ${k}.event_id and m.gateway = ${k}.gateway collate "C" and m.type = ${k}.type collate "C"
      and m.position is not null and m.sequence is distinct from 0 and m.message_id = ${k}.message_id collate "C" limit 1)
  union all
  (select m.id from messages m
    where ${k}.event_id is null and m.message_id = ${k}.message_id collate "C" and m.gateway = ${k}.gateway collate "C"
      and m.position is not null and m.type <> ${PAYMENT_TYPE} limit 1))`

/**
 * Payments `m` of a gateway in their own place. The index messages_payments has a hash in place of the gateway's 44 letters; another
 * gateway can have the same hash, so the gateway is compared too. Postgres would multiply the shares of both conditions, expect hardly
 * a row, and sort all: it takes `coalesce` for a half.
 */
export const placedOf = (gateway: string): Sql => sql`
  hashtextextended(m.gateway, 0) = hashtextextended(${gateway}, 0) and coalesce(m.gateway = ${gateway}, false) and m.sequence = 0`

/** As in the index messages_message_key. */
export const PAYMENT_TYPE = raw(`'${PAYMENT_MESSAGE_TYPE}'`)

/** The tracking ID in a body, as JSON text. The index messages_of_time has this expression. */
export const trackingIdText = (body: Sql): Sql =>
  sql`substring(${body} from '"trackingId":("(?:[^"\\\\]|\\\\.)*")')`

/** Messages whose body alone names the tracking ID. As in the index messages_of_time. @param row with a `type` */
export const hasOwnTrackingId = (row: Sql): Sql =>
  sql`(${row}.type like 'subscription.%' or ${row}.type like 'expectation.%')`
