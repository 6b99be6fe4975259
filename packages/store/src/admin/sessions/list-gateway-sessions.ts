import { API_KEYS_PER_GATEWAY } from '../api-keys/api-key-records.js'
import { sql, type Store } from '../../core/database/sql.js'
import { SESSIONS_PER_CREDENTIAL, type SignIn } from './create-gateway-session.js'
import { HAS_NOT_ENDED, KEY_OF_SESSION } from './use-gateway-session.js'

export interface GatewaySessionRecord {
  id: bigint
  how: SignIn
  /** a link that nobody has opened yet */
  isLink: boolean
  /** the wallet that signed in, or that made the API key */
  signer: string
  /** of that wallet, at that time */
  signerSince: string
  apiKeyId: bigint | null
  apiKeyName: string | null
  /** when it began, or when the link was made */
  createdAt: Date
  /** to the minute; null for a link that nobody has opened yet */
  usedAt: Date | null
  endsAt: Date
  expiresAt: Date
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
    select s.id, s.how, s.is_link as "isLink", s.signer, s.signer_since as "signerSince",
           s.api_key_id as "apiKeyId", k.name as "apiKeyName", s.created_at as "createdAt", s.used_at as "usedAt",
           s.ends_at as "endsAt", least(s.expires_at, k.expires_at) as "expiresAt",
           s.hash is not distinct from ${current}::text as "isCurrent"
      from gateway_sessions s
      ${KEY_OF_SESSION}
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
