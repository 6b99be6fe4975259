import { hostOf, writeChangesOf } from '../core/tables/write-changes.js'
import { bigints, sql, type Store } from '../core/database/sql.js'
import { isNotQuarantined, isolate } from '../core/quarantine/isolate.js'
import { insertNotices, TROUBLED_COLUMNS, type TroubledWebhook } from '../messages/clock/notify-failures.js'
import { turnOff, type DeactivationReason } from '../core/tables/turn-off.js'

/**
 * Deactivates webhooks; their open deliveries are cancelled with that (turn-off.ts). Inactive webhooks keep their reason.
 * The gateway is notified on its other webhooks; a sweeper enqueues these deliveries.
 * Changes as many rows as there are ids, and writes at most 19 deliveries for each, whatever waits for the webhooks.
 * @returns the ids of the webhooks that were active
 */
export async function deactivateWebhooks(
  store: Store,
  webhookIds: readonly bigint[],
  reason: DeactivationReason,
): Promise<bigint[]> {
  const done = await isolate(store, 'deactivate-webhooks', webhookIds, ids =>
    store.database.transaction(async tx => {
      const rows = await tx.$queryRaw<TroubledWebhook[]>(
        turnOff(sql`w.id = any(${bigints(ids)}) and w.active`, {
          why: `webhook deactivated: ${reason}`,
          // Not after `turned_off_at`: `replay-missing` from then on finds what was cancelled.
          more: sql`deactivated_reason = ${reason}, deactivated_at = statement_timestamp()`,
          returned: TROUBLED_COLUMNS,
        }),
      )
      // The webhooks of a deleted gateway all end: nobody is left to be notified.
      if (reason === 'gateway-deleted') return rows.map(row => row.id)
      await insertNotices(tx, 'webhook.deactivated', rows)
      for (const { id, gateway, endpointUrl } of rows)
        await tx.$executeRaw(
          writeChangesOf(gateway, null, [
            { kind: 'webhook.deactivated', subject: id.toString(), name: hostOf(endpointUrl), fields: [] },
          ]),
        )
      return rows.map(row => row.id)
    }),
  )
  return done.flat()
}

const IS_DELETED_GATEWAY = sql`
  g.deleted_order is not null and (g.incarnation_start is null or g.incarnation_start <= g.deleted_order)`

/** The most webhooks, or keys, of deleted gateways that one page reads. */
const ROWS_A_PAGE = 5_000

/**
 * Finds active webhooks of deleted gateways. The transaction that stores the deletion stops the webhooks that it sees:
 * this finds one that was registered at the same moment.
 * Looks at the next 5,000 webhooks, by their key.
 * @param after the last webhook of the check before; 0n to begin
 * @returns `next` is 0n when all were looked at
 */
export async function findWebhooksOfDeletedGateways(
  { database }: Store,
  after: bigint,
): Promise<{ ids: bigint[]; next: bigint }> {
  const [row] = await database.read<{ ids: bigint[] | null; scanned: number; last: bigint }>(sql`
    with scanned as (select id, gateway, active from webhooks where id > ${after} order by id limit ${ROWS_A_PAGE})
    select (select array_agg(w.id) from scanned w join gateways g on g.address = w.gateway
             where w.active and ${IS_DELETED_GATEWAY}
                   and ${isNotQuarantined('deactivate-webhooks', sql`w.id::text`)}) as ids,
           (select count(*)::int from scanned) as scanned, (select coalesce(max(id), 0) from scanned) as last`)
  return { ids: row!.ids ?? [], next: row!.scanned === ROWS_A_PAGE ? row!.last : 0n }
}

/**
 * Updates `failing_since`: the first failure sets it, any success clears it; and `lost_at`: the first delivery since then that
 * failed with all its tries sets it. One row for each id, by their key. SQL: the database's clock.
 * @param health.lost webhooks among the failed ones of which a delivery failed with all its tries
 * @returns webhooks whose every attempt failed for `limitMs`
 */
export async function noteWebhookHealth(
  store: Store,
  health: { failed: readonly bigint[]; lost: readonly bigint[]; succeeded: readonly bigint[] },
  limitMs: number,
): Promise<bigint[]> {
  const noted = await isolate(store, 'webhook-health', [...health.failed, ...health.succeeded], ids =>
    store.database.write<{ id: bigint; failing: boolean }>(sql`
    update webhooks
       set failing_since = case when id = any(${bigints(health.succeeded)}) then null
                                else coalesce(failing_since, clock_timestamp()) end,
           lost_at = case when id = any(${bigints(health.succeeded)}) then null
                          when id = any(${bigints(health.lost)}) then coalesce(lost_at, clock_timestamp())
                          else lost_at end
     where id = any(${bigints(ids)})
    returning id, coalesce(failing_since < clock_timestamp() - make_interval(secs => ${limitMs}::float8 / 1000),
                           false) as failing`),
  )
  return noted.flat().flatMap(row => (row.failing ? [row.id] : []))
}
