// One text finds what it names. Each kind is a probe of an index, or a check of the few webhooks of a gateway, so that a search
// costs the same whatever is stored.
import { join, raw, sql, type Sql, type Store } from '../../core/database/sql.js'
import { nameOfCustomer } from '../../core/tables/customer-names.js'
import { hasDealtWith } from '../merchant/payers.js'
import { IS_NO_PAYMENT, MESSAGE_ID } from '../../core/tables/delivery-rows.js'
import { IS_DIRECT } from '../lists/event-filter.js'
import { NEWEST_FIRST } from '../lists/newest-policies.js'
import { beginningProbes, policies } from './by-beginning.js'
import { found, where, type Found, type Seeker, type Sought } from './found.js'

const MOST_WEBHOOKS = raw('5')
const MOST_POLICIES = raw('5')
/** Events of a transaction: it has some dozens at most. */
const MOST_EVENTS = raw('100')
/** A shorter text is in too many URLs. */
const LEAST_OF_URL = 3

/** Relies on events_signature_hash, trackings, policies_tracking_live, and the primary keys of what an address can be. */
function publicProbes({ text, isSignature, isPublicKey, isTrackingId }: Sought): Sql[] {
  const probes: Sql[] = []
  if (isSignature)
    probes.push(
      where(
        'transaction',
        text,
        sql`exists (select from events where signature = ${text} and amount is not null)`,
      ),
      // A transaction that pays nothing is shown by the policies that it changed.
      policies(sql`(select distinct e.payment_policy
                     from (select payment_policy, amount from events where signature = ${text} limit ${MOST_EVENTS}) e
                    where e.amount is null limit ${MOST_POLICIES}) e
             join policies p on p.address = e.payment_policy and p.live`),
    )
  if (isPublicKey)
    probes.push(
      policies(sql`policies p where p.address = ${text} and p.live`),
      where(
        'gateway',
        text,
        sql`exists (select from gateways g where g.address = ${text} and g.incarnation_start is not null
                       and (g.deleted_order is null or g.incarnation_start > g.deleted_order))`,
      ),
      where(
        'wallet',
        text,
        sql`exists (select from user_payments where owner = ${text})
            or exists (select from user_payments where address = ${text})
            or exists (select from policies where recipient = ${text} and live)
            or (select true from events e
                 where e.payer = ${text} and ${IS_DIRECT} order by e.occurred_at limit 1) is not null
            or (select true from events e
                 where e.recipient = ${text} and ${IS_DIRECT} order by e.occurred_at limit 1) is not null`,
      ),
    )
  if (isTrackingId)
    probes.push(
      where(
        'tracking_id',
        text,
        sql`exists (select from trackings where tracking_id = ${text} and head > 0)`,
      ),
      policies(
        sql`policies p where p.tracking_id = ${text} and p.live ${NEWEST_FIRST} limit ${MOST_POLICIES}`,
      ),
    )
  return probes
}

const customerProbe = ({ text }: Sought, gateway: string): Sql =>
  sql`(${found('customer', sql`${text}::text`, nameOfCustomer(gateway, sql`${text}`))}
        where ${hasDealtWith(gateway, text)})`

/** The message id of a payment, and of its retraction, begins with the id of the event. */
const OF_PAYMENT = /^msg_([0-9a-f]{32})[0-9a-f]{12}/

/** The delivery of a message to a webhook `w`. Relies on the keys of deliveries. */
function deliveryOfMessage(text: string): Sql {
  const eventId = OF_PAYMENT.exec(text)?.[1]
  const isIts =
    eventId === undefined
      ? sql`d.message_id = ${text} and ${IS_NO_PAYMENT}`
      : sql`d.event_id = ${eventId}::uuid and ${MESSAGE_ID} = ${text}`
  return sql`select d.* from deliveries d where d.webhook_id = w.id and ${isIts}`
}

/** A gateway has at most 20 webhooks: each is looked at, and probed for a message. */
function webhookProbes({ text, isNumber }: Sought, gateway: string): Sql[] {
  const own = sql`w.gateway = ${gateway} and w.deleted_at is null`
  const isIn = (column: string) => sql`strpos(lower(${raw(column)}), lower(${text}::text)) > 0`
  const delivery = found('delivery', sql`d.id::text`, sql`d.type`, sql`d.webhook_id`)
  return [
    sql`(${found('webhook', sql`w.id::text`, sql`w.endpoint_url`)} from webhooks w
          where ${own} and (w.id::text = ${text}
                ${
                  text.length < LEAST_OF_URL
                    ? sql``
                    : sql`or ${isIn('w.endpoint_url')} or ${isIn("coalesce(w.description, '')")}`
                })
          order by w.id limit ${MOST_WEBHOOKS})`,
    sql`(${delivery} from webhooks w
           cross join lateral (${deliveryOfMessage(text)} limit 1) d
          where ${own} order by d.id desc limit ${MOST_WEBHOOKS})`,
    ...(isNumber
      ? [
          sql`(${delivery} from deliveries d join webhooks w on w.id = d.webhook_id
                where d.id = ${text}::bigint and ${own})`,
        ]
      : []),
  ]
}

/** Relies on the primary key. */
const expectationProbe = ({ text }: Sought, gateway: string): Sql =>
  sql`(${found('expectation', sql`x.id::text`, sql`x.tracking_id`)}
         from expectations x where x.id = ${text}::uuid and x.gateway = ${gateway})`

function probesOf(sought: Sought, seeker: Seeker | null): Sql[] {
  const probes = publicProbes(sought)
  if (seeker?.customers && sought.isPublicKey) probes.push(customerProbe(sought, seeker.gateway))
  if (seeker?.webhooks) probes.push(...webhookProbes(sought, seeker.gateway))
  if (seeker?.expectations && sought.isUuid) probes.push(expectationProbe(sought, seeker.gateway))
  if (seeker) probes.push(...beginningProbes(sought, seeker))
  return probes
}

/**
 * Finds what some texts name, in one statement: public things, and those of the seeker's own gateway that its key may see.
 * @param seeker null: somebody who has not signed in
 */
export async function findAnything(
  { database }: Store,
  sought: readonly Sought[],
  seeker: Seeker | null,
): Promise<readonly Found[]> {
  const probes = sought.flatMap(each => probesOf(each, seeker))
  if (probes.length === 0) return []
  const rows = await database.read<Found>(join(probes, ' union all '))
  return [...new Map(rows.map(row => [`${row.kind} ${row.id}`, row])).values()]
}
