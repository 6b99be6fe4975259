// Sessions and links that sign in. A link is a session that nobody has opened yet.
import { raw, sql, type ClientTx, type Store } from '../../core/database/sql.js'

/** Without use a session ends after this: whoever looks in each morning stays signed in. */
export const IDLE = raw(`interval '48 hours'`)
/** However it is used, it ends after this. */
const LIFETIME = raw(`interval '14 days'`)
/** In which a link that signs in can be opened. */
const LINK_LIFETIME = raw(`interval '15 minutes'`)

/** What signed in: the signature of a wallet, its token, an API key, or a link that one of these made. */
export const SIGN_INS = ['wallet', 'token', 'api_key', 'link'] as const
export type SignIn = (typeof SIGN_INS)[number]

/** What proved who is there; a session gives no more and lasts no longer. */
export interface SessionGrant {
  gateway: string
  /** the wallet that signed, or that made the API key */
  signer: string
  /** `signerSince` of the wallet */
  signerSince: string
  /** the key that signed in */
  apiKeyId: bigint | null
  /** when it ends by itself; null: never */
  expiresAt: Date | null
}

/** Of the wallets of a gateway, and of each of its API keys: a key can end no session of a wallet. */
export const SESSIONS_PER_CREDENTIAL = 20

/** Sessions that are over and that one sign-in removes: more than it adds. */
const REMOVED_AT_ONCE = 100

/**
 * Stores a session, or (`how: 'link'`) a link that nobody has opened yet, by its hash, and ends the oldest beyond the limit. Concurrent calls for one gateway wait for
 * each other (an advisory lock), so that the limit holds. Also removes sessions that are over, of anybody. SQL: locks, and the
 * database's clock.
 * @param replaces the hash of the session that the browser had: it ends
 * @returns when it ends unless it is used
 */
export const createGatewaySession = (
  { database }: Store,
  { hash, how, grant, replaces }: NewSession & { how: SignIn; grant: SessionGrant },
): Promise<Date> =>
  database.transaction(
    async tx => {
      const { gateway, signer, signerSince, apiKeyId, expiresAt } = grant
      await tx.$executeRaw`select pg_advisory_xact_lock(hashtextextended(${`sessions ${gateway}`}, 0))`
      await end(tx, replaces)
      await tx.$executeRaw(sql`
        delete from gateway_sessions where hash in (
          select hash from gateway_sessions where ends_at < statement_timestamp()
           limit ${REMOVED_AT_ONCE} for update skip locked)`)
      // Sessions of a revoked key are over too; a gateway makes keys without end.
      await tx.$executeRaw(sql`
        delete from gateway_sessions s where s.gateway = ${gateway} and (
          exists (select from api_keys k where k.id = s.api_key_id and k.revoked_at is not null)
          or s.hash in (
            select hash from gateway_sessions
             where gateway = ${gateway} and api_key_id is not distinct from ${apiKeyId}
             order by created_at desc, hash offset ${SESSIONS_PER_CREDENTIAL - 1}))`)
      const isLink = how === 'link'
      const untilUse = isLink ? LINK_LIFETIME : IDLE
      const [row] = await tx.$queryRaw<{ endsAt: Date }[]>(sql`
        insert into gateway_sessions (hash, gateway, signer, signer_since, api_key_id, how, is_link, used_at, ends_at, expires_at)
        select ${hash}, ${gateway}, ${signer}, ${signerSince}, ${apiKeyId}, ${how}, ${isLink},
               case when ${isLink} then null else clock_timestamp() end,
               least(clock_timestamp() + ${untilUse}, until), until
          from (select least(clock_timestamp() + ${LIFETIME},
                             ${expiresAt}::timestamptz) as until) bounds
        returning ends_at as "endsAt"`)
      return row!.endsAt
    },
    { maxWait: 10_000, timeout: 10_000 },
  )

export interface NewSession {
  hash: string
  replaces: string | null
}

/**
 * Makes a session of a link. The row changes its hash, so of concurrent calls one alone finds it. SQL: the database's clock.
 * @returns whether the link counted
 */
export const openSignInLink = (
  { database }: Store,
  link: string,
  { hash, replaces }: NewSession,
): Promise<boolean> =>
  database.transaction(async tx => {
    const opened = await tx.$executeRaw(sql`
      update gateway_sessions
         set hash = ${hash}, is_link = false, created_at = clock_timestamp(), used_at = clock_timestamp(),
             ends_at = least(clock_timestamp() + ${IDLE}, expires_at)
       where hash = ${link} and is_link and ends_at > clock_timestamp()`)
    if (opened > 0) await end(tx, replaces)
    return opened > 0
  })

/** The gateway that a link signs in; null when the link does not count. */
export const findSignInLink = async ({ database }: Store, link: string): Promise<string | null> => {
  const [row] = await database.read<{ gateway: string }>(sql`
    select gateway from gateway_sessions where hash = ${link} and is_link and ends_at > clock_timestamp()`)
  return row?.gateway ?? null
}

/**
 * Ends a session: its cookie is void from now on. SQL: a model deletes rows without returning them.
 * @returns its gateway; null where there is no such session
 */
export const endGatewaySession = async ({ database }: Store, hash: string): Promise<string | null> => {
  const [row] = await database.write<{ gateway: string }>(sql`
    delete from gateway_sessions where hash = ${hash} returning gateway`)
  return row?.gateway ?? null
}

async function end(tx: ClientTx, hash: string | null): Promise<void> {
  if (hash !== null) await tx.gatewaySession.deleteMany({ where: { hash } })
}
