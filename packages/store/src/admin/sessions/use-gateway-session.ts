// Sessions that have not ended: found, listed, used and ended.
import type { GatewayState } from '@payment-tracking/domain'
import { API_KEYS_PER_GATEWAY, type ApiKeyScope } from '../api-keys/api-key-records.js'
import { sql, type Store } from '../../core/database/sql.js'
import { GATEWAY_COLUMNS, GATEWAY_OBJECT } from '../../core/tables/gateways.js'
import { IDLE, SESSIONS_PER_CREDENTIAL, type SignIn } from './create-gateway-session.js'

interface GatewaySession {
  /** the wallet that signed in, or that made the API key */
  signer: string
  /** of that wallet, at that time */
  signerSince: string
  apiKeyId: bigint | null
  apiKeyName: string | null
  /** when it ends unless it is used */
  endsAt: Date
  /** when it ends however it is used */
  expiresAt: Date
}

const SESSION_COLUMNS = sql`
  s.signer, s.signer_since as "signerSince", s.api_key_id as "apiKeyId", k.name as "apiKeyName", s.ends_at as "endsAt",
  least(s.expires_at, k.expires_at) as "expiresAt"`

/**
 * A session with its gateway's state on the chain. Sessions are rows of Postgres and not keys of Redis, whose loss would sign
 * everybody out.
 */
export interface FoundGatewaySession extends GatewaySession {
  hash: string
  /** of the API key that signed in; null where a wallet did: it may do everything */
  scopes: ApiKeyScope[] | null
  /** the last use was noted more than a minute ago */
  isUseStale: boolean
  gateway: GatewayState
}

/** The API key of a session, unless it was revoked or has expired. */
const KEY_OF_SESSION = sql`
  left join api_keys k on k.id = s.api_key_id and k.revoked_at is null
   and (k.expires_at is null or k.expires_at > clock_timestamp())`
const HAS_NOT_ENDED = sql`s.ends_at > clock_timestamp() and (s.api_key_id is null or k.id is not null)`

/** Finds a session by its hash alone. With its API key a session ends at once: each use reads the key. */
export async function findGatewaySession(
  { database }: Store,
  hash: string,
): Promise<FoundGatewaySession | null> {
  const [session] = await database.read<FoundGatewaySession>(sql`
    select ${SESSION_COLUMNS}, s.hash, k.scopes, s.used_at < clock_timestamp() - interval '1 minute' as "isUseStale",
           ${GATEWAY_OBJECT} as gateway
      from gateway_sessions s
      join gateways g on g.address = s.gateway
      ${KEY_OF_SESSION}
     where s.hash = ${hash} and not s.is_link and ${HAS_NOT_ENDED}`)
  return session ?? null
}

/** Notes the use of a session, which then lasts longer: at most once a minute over all processes. SQL: the database's clock. */
export const noteGatewaySessionUse = async ({ database }: Store, hash: string): Promise<void> => {
  await database.execute(sql`
    update gateway_sessions s set ends_at = least(clock_timestamp() + ${IDLE}, s.expires_at), used_at = clock_timestamp()
     where hash = ${hash} and used_at < clock_timestamp() - interval '1 minute'`)
}

export interface GatewaySessionRecord extends GatewaySession {
  id: bigint
  how: SignIn
  /** a link that nobody has opened yet */
  isLink: boolean
  /** when it began, or when the link was made */
  createdAt: Date
  /** to the minute; null for a link that nobody has opened yet */
  usedAt: Date | null
  /** it is the session of `current` */
  isCurrent: boolean
}

/** Those of the wallets and of each key. */
const MOST_LISTED = (API_KEYS_PER_GATEWAY + 1) * SESSIONS_PER_CREDENTIAL

/**
 * Sessions of a gateway that have not ended, and links that nobody has opened yet, newest first: at most 420.
 * Relies on gateway_sessions_gateway_idx.
 * @param current the hash of the caller's own session
 */
export const listGatewaySessions = (
  { database }: Store,
  gateway: string,
  current: string | null,
): Promise<readonly GatewaySessionRecord[]> =>
  database.read<GatewaySessionRecord>(sql`
    select ${SESSION_COLUMNS}, s.id, s.how, s.is_link as "isLink", s.created_at as "createdAt", s.used_at as "usedAt",
           s.hash is not distinct from ${current}::text as "isCurrent"
      from gateway_sessions s ${KEY_OF_SESSION}
     where s.gateway = ${gateway} and ${HAS_NOT_ENDED}
     order by s.created_at desc, s.id desc limit ${MOST_LISTED}`)

/**
 * Ends a session of a gateway, or all of them, with the links that nobody has opened yet. Their cookies are void from now on.
 * Relies on gateway_sessions_gateway_idx.
 * @param id null: all
 * @returns how many ended
 */
export const endGatewaySessions = (
  { database }: Store,
  gateway: string,
  id: bigint | null,
): Promise<number> =>
  database.withModels(async client => {
    const where = { gateway, ...(id === null ? {} : { id }) }
    return (await client.gatewaySession.deleteMany({ where })).count
  })

/** A gateway's present state on the chain, for `signersOf` of the domain; null for an unknown gateway. */
export const readGatewayState = async (
  { database }: Store,
  address: string,
): Promise<GatewayState | null> => {
  const [gateway] = await database.read<GatewayState>(sql`
    select ${GATEWAY_COLUMNS} from gateways g where g.address = ${address}`)
  return gateway ?? null
}
