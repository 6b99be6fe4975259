import type { GatewayState } from '@payment-tracking/domain'
import { sql, type Store } from '../../core/database/sql.js'
import { GATEWAY_OBJECT } from '../../core/tables/gateways.js'
import type { ApiKeyRecord } from './api-key-records.js'

/** A key that is neither revoked nor expired, with its gateway's state on the chain. */
export interface FoundApiKey extends Omit<ApiKeyRecord, 'hint' | 'createdAt' | 'lastUsedAt'> {
  /** the last use is more than a minute ago, or was never noted */
  isUseStale: boolean
  gateway: GatewayState
}

/** Finds a key by its hash alone, so the time of the answer says nothing about other keys. */
export async function findApiKey({ database }: Store, hash: string): Promise<FoundApiKey | null> {
  const [key] = await database.read<FoundApiKey>(sql`
    select k.id, k.name, k.scopes, k.created_by as "createdBy",
           k.signer_since as "signerSince", k.expires_at as "expiresAt",
           k.last_used_at is null or k.last_used_at < clock_timestamp() - interval '1 minute' as "isUseStale",
           ${GATEWAY_OBJECT} as gateway
      from api_keys k join gateways g on g.address = k.gateway
     where k.hash = ${hash} and k.revoked_at is null
       and (k.expires_at is null or k.expires_at > clock_timestamp())`)
  return key ?? null
}

/** Why `findApiKey` finds nothing: only the holder of a key knows its hash, so the answer tells a stranger nothing. */
export async function whyNoApiKey(
  { database }: Store,
  hash: string,
): Promise<'never made' | 'revoked' | 'expired'> {
  const [key] = await database.read<{ isRevoked: boolean }>(sql`
    select revoked_at is not null as "isRevoked" from api_keys where hash = ${hash}`)
  if (!key) return 'never made'
  return key.isRevoked ? 'revoked' : 'expired'
}

/** Notes the use of a key, at most once a minute over all processes. SQL: the database's clock. */
export const noteApiKeyUse = async ({ database }: Store, id: bigint): Promise<void> => {
  await database.execute(sql`
    update api_keys set last_used_at = clock_timestamp()
     where id = ${id} and (last_used_at is null or last_used_at < clock_timestamp() - interval '1 minute')`)
}
