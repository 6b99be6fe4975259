// Keys of machines, as their gateway manages them.
import { ServiceError } from '@payment-tracking/runtime'
import { sql, type ApiKey, type Store } from '../../core/database/sql.js'

/** What a key may do. Keys never manage keys. */
export const API_KEY_SCOPES = [
  'webhooks:read',
  'webhooks:write',
  'merchant:read',
  'merchant:write',
  'expectations',
] as const
export type ApiKeyScope = (typeof API_KEY_SCOPES)[number]

export const API_KEYS_PER_GATEWAY = 20

export class TooManyApiKeysError extends ServiceError {
  readonly code = 'TOO_MANY_API_KEYS'
  readonly retry = 'never'
}

const omit = { gateway: true, hash: true, revokedAt: true } as const
const toRecord = (row: Omit<ApiKey, keyof typeof omit>) => ({
  ...row,
  scopes: row.scopes as ApiKeyScope[],
})

/**
 * A key without its secret. Where `signerSince` of the wallet that made it is another than when it made the key, the key has
 * ended. `lastUsedAt` is to the minute.
 */
export type ApiKeyRecord = ReturnType<typeof toRecord>

/**
 * Stores a new key by its hash. Concurrent calls for one gateway wait for each other (an advisory lock), so that the
 * limit holds. Expired and ended keys count until they are revoked.
 * @throws TooManyApiKeysError
 */
export const createApiKey = (
  { database }: Store,
  key: Omit<ApiKeyRecord, 'id' | 'createdAt' | 'lastUsedAt'> & { gateway: string; hash: string },
): Promise<ApiKeyRecord> =>
  database.transaction(
    async tx => {
      await tx.$executeRaw`select pg_advisory_xact_lock(hashtextextended(${`api keys ${key.gateway}`}, 0))`
      const count = await tx.apiKey.count({ where: { gateway: key.gateway, revokedAt: null } })
      if (count >= API_KEYS_PER_GATEWAY)
        throw new TooManyApiKeysError(
          `A gateway has at most ${API_KEYS_PER_GATEWAY} API keys; revoke one first.`,
        )
      return toRecord(await tx.apiKey.create({ data: key, omit }))
    },
    { maxWait: 10_000, timeout: 10_000 },
  )

/** The keys of a gateway that are not revoked, oldest first. */
export const listApiKeys = ({ database }: Store, gateway: string): Promise<ApiKeyRecord[]> =>
  database.withModels(async client => {
    const keys = await client.apiKey.findMany({
      where: { gateway, revokedAt: null },
      orderBy: { id: 'asc' },
      omit,
    })
    return keys.map(toRecord)
  })

/** SQL: the database's clock. @returns null where the gateway has no such key */
export const revokeApiKey = async (
  { database }: Store,
  gateway: string,
  id: bigint,
): Promise<Pick<ApiKeyRecord, 'name'> | null> => {
  const [revoked] = await database.write<Pick<ApiKeyRecord, 'name'>>(sql`
    update api_keys set revoked_at = clock_timestamp()
     where id = ${id} and gateway = ${gateway} and revoked_at is null
    returning name`)
  return revoked ?? null
}
