import { sql, type GatewayChange, type Store } from '../../core/database/sql.js'
import type { ChangeKind } from '../../core/tables/write-changes.js'

export type ChangeRecord = Omit<GatewayChange, 'gateway' | 'kind'> & { kind: ChangeKind }

/** Changes of a gateway, newest first. Relies on gateway_changes_gateway_id_idx. @param page.before only those with a lower id */
export const listChanges = (
  { database }: Store,
  gateway: string,
  { before, limit }: { before?: bigint | undefined; limit: number },
): Promise<readonly ChangeRecord[]> =>
  database.read<ChangeRecord>(sql`
    select id, at, kind, subject, name, fields, wallet, api_key_id as "apiKeyId", api_key_name as "apiKeyName"
      from gateway_changes
     where gateway = ${gateway} and ${before === undefined ? sql`true` : sql`id < ${before}`}
     order by id desc limit ${limit}`)
