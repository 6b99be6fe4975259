import { sql, type Store } from '../database/sql.js'

/** Keys that one check passes. */
const KEYS_A_PAGE = 5_000

/**
 * Revokes the keys of deleted gateways: a new gateway at the same address must not revive them. The transaction that stores
 * the deletion revokes the keys that it sees: this finds one that was made at the same moment.
 * Looks at the next 5,000 keys, by their key. SQL: joins tables.
 * @param after the last key of the check before; 0n to begin
 * @returns `next` is 0n when all were looked at
 */
export async function revokeKeysOfDeletedGateways(
  { database }: Store,
  after: bigint,
): Promise<{ revoked: number; next: bigint }> {
  const [row] = await database.write<{ revoked: number; scanned: number; last: bigint }>(sql`
    with scanned as (select id, gateway from api_keys where id > ${after} order by id limit ${KEYS_A_PAGE}),
    revoked as (
      update api_keys k set revoked_at = clock_timestamp()
        from scanned l join gateways g on g.address = l.gateway
       where k.id = l.id and k.revoked_at is null and g.deleted_order is not null
         and (g.incarnation_start is null or g.incarnation_start <= g.deleted_order)
      returning k.id)
    select (select count(*)::int from revoked) as revoked, (select count(*)::int from scanned) as scanned,
           (select coalesce(max(id), 0) from scanned) as last`)
  return { revoked: row!.revoked, next: row!.scanned === KEYS_A_PAGE ? row!.last : 0n }
}
