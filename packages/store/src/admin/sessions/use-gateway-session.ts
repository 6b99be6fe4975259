import type { GatewayState } from '@payment-tracking/domain'
import type { ApiKeyScope } from '../api-keys/api-key-records.js'
import { sql, type Store } from '../../core/database/sql.js'
import { GATEWAY_COLUMNS } from '../../core/tables/gateways.js'
import { IDLE_HOURS, interval } from './lifetimes.js'

/**
 * A session that has not ended, with its gateway's state on the chain. Sessions are rows of Postgres and not keys of Redis, whose loss
 * would sign everybody out.
 */
export interface FoundGatewaySession {
  hash: string
  /** the wallet that signed in, or that made the API key */
  signedBy: string
  /** of that wallet, at that time */
  signerSince: string
  apiKeyId: bigint | null
  apiKeyName: string | null
  /** of the API key that signed in; null where a wallet did: it may do everything */
  scopes: ApiKeyScope[] | null
  /** when it ends unless it is used */
  endsAt: Date
  /** when it ends however it is used */
  expiresAt: Date
  /** the last use was noted more than a minute ago */
  isUseStale: boolean
  gateway: GatewayState
}

type SessionRow = Omit<FoundGatewaySession, 'gateway'> & GatewayState

/** The API key of a session, unless it was revoked or has expired. */
export const KEY_OF_SESSION = sql`
  left join api_keys k on k.id = s.api_key_id and k.revoked_at is null
   and (k.expires_at is null or k.expires_at > clock_timestamp())`
export const HAS_NOT_ENDED = sql`s.ends_at > clock_timestamp() and (s.api_key_id is null or k.id is not null)`

/** When a session that is used now ends. */
const END = sql`least(clock_timestamp() + ${interval(IDLE_HOURS, 'hours')}, s.expires_at)`

/** Finds a session by its hash alone. With its API key a session ends at once: each use reads the key. */
export async function findGatewaySession(
  { database }: Store,
  hash: string,
): Promise<FoundGatewaySession | null> {
  const [row] = await database.read<SessionRow>(sql`
    select s.hash, s.signer as "signedBy", s.signer_since as "signerSince", s.api_key_id as "apiKeyId", k.name as "apiKeyName", k.scopes,
           s.ends_at as "endsAt", least(s.expires_at, k.expires_at) as "expiresAt",
           s.used_at < clock_timestamp() - interval '1 minute' as "isUseStale",
           ${GATEWAY_COLUMNS}
      from gateway_sessions s
      join gateways g on g.address = s.gateway
      ${KEY_OF_SESSION}
     where s.hash = ${hash} and not s.is_link and ${HAS_NOT_ENDED}`)
  if (!row) return null
  const { address, authority, incarnationStart, deletedOrder, signer, signerOrder, ...session } = row
  return { ...session, gateway: { address, authority, incarnationStart, deletedOrder, signer, signerOrder } }
}

/** Notes the use of a session, which then lasts longer: at most once a minute over all processes. SQL: the database's clock. */
export const noteGatewaySessionUse = async ({ database }: Store, hash: string): Promise<void> => {
  await database.execute(sql`
    update gateway_sessions s set ends_at = ${END}, used_at = clock_timestamp()
     where hash = ${hash} and used_at < clock_timestamp() - interval '1 minute'`)
}
