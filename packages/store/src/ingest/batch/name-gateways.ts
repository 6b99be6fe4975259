// Status changes and deletions name a policy alone. Their gateway is that of the policy's latest Created event at their chain position
// or before it, whichever of the two is stored first; so a list of a gateway's events has them. Retracted Created events count: the
// same transaction says the same when it is repeated.
import { raw, sql, type PipelinedTx, type Sql } from '../../core/database/sql.js'
import { policyOf } from '../../core/tables/addresses.js'
import { changedBy, latestCreated } from '../recompute/derive-payments.js'
import type { NumberedEvent } from './number.js'
import type { MovedEvent } from './recompute-requests.js'

const NAMES = [
  'PaymentPolicyStatusChanged',
  'PaymentPolicyDeleted',
  'ComposablePolicyStatusChanged',
  'ComposablePolicyDeleted',
]
/** The most events of a policy and a name that one Created event renames: nobody has so many before it is stored. */
const MOST_RENAMED = raw('1000')

/**
 * Gives new events of policies their gateways, and stored ones of policies of which the batch brings a Created event, or moves an
 * event: one that moves to after a change takes its gateway away. Sends nothing for a batch of payments. Relies on the primary key and on events_changes: two probes a new event, and at most
 * 4,000 rows a policy. SQL: reads what is stored.
 */
export function nameGateways(
  tx: PipelinedTx,
  numbered: readonly NumberedEvent[],
  moved: readonly MovedEvent[],
): void {
  const events = numbered.map(({ event }) => event)
  const fresh = events.filter(({ gateway, paymentPolicy }) => gateway === null && paymentPolicy !== null)
  const created = events.filter(({ effect }) => effect.kind === 'policy-created')
  const policies = new Set(
    [...created, ...moved.map(({ event }) => event)].flatMap(event => policyOf(event) ?? []),
  )
  if (fresh.length > 0)
    tx.send(rename(sql`select id from unnest(${fresh.map(({ id }) => id)}::uuid[]) k (id)`))
  if (policies.size > 0)
    tx.send(
      rename(sql`
        select o.id from unnest(${[...policies]}::text[]) k (policy)
         cross join unnest(${NAMES}::text[]) n (name)
         cross join lateral (
           select o.id from events o where ${changedBy(sql`o`)} = k.policy and o.name = n.name
            order by o.slot, o.transaction_index, o.event_index, o.id limit ${MOST_RENAMED}) o`),
    )
}

/** SQL: compares with what is stored. @param ids a table of them */
const rename = (ids: Sql): Sql => sql`
  update events e set gateway = g.gateway
    from (select o.id, c.gateway
            from (${ids}) k join events o on o.id = k.id and o.name = any(${NAMES}::text[])
            left join ${latestCreated(sql`o`, sql`c.gateway`)} c on true) g
   where e.id = g.id and e.gateway is distinct from g.gateway`
