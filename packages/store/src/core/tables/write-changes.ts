// Who changed what of a gateway. A row is written in the transaction of the change, so that neither is without the other.
import { columnTable } from '../database/columns.js'
import { raw, sql, type Sql, type Store } from '../database/sql.js'

export const CHANGE_KINDS = [
  'webhook.created',
  'webhook.changed',
  'webhook.activated',
  'webhook.deactivated',
  'webhook.secret_rotated',
  'webhook.deleted',
  'api_key.created',
  'api_key.revoked',
  'session.ended',
  'sessions.ended',
  'settings.changed',
  'expectation.cancelled',
] as const
export type ChangeKind = (typeof CHANGE_KINDS)[number]

/** What changed. No value of it, which could be a secret. */
export interface Change {
  kind: ChangeKind
  /** the id of the webhook, the API key, the session or the expectation; null for the settings and for all sessions */
  subject: string | null
  /** how people know it: the host of an endpoint, the name of a key, a tracking ID */
  name: string | null
  /** the names of what changed */
  fields: readonly string[]
}

/** Who changed it: a wallet that signed in, or an API key and the wallet that made it. */
export interface Author {
  wallet: string
  apiKey: { id: bigint; name: string } | null
}

export const CHANGES_KEPT = 1_000
/** Rows that one change forgets. A change adds few, so the number of rows falls back to the limit. */
const FORGOTTEN_AT_ONCE = raw('100')

/** The part of a URL that is no secret: the URL of a chat's webhook is one as a whole. */
export const hostOf = (url: string): string | null => (URL.canParse(url) ? new URL(url).host : null)

const CHANGES = columnTable<Change>('c', {
  kind: ['text', ({ kind }) => kind],
  subject: ['text', ({ subject }) => subject],
  name: ['text', ({ name }) => name],
  fields: ['text', ({ fields }) => fields.join(' ')],
})

/**
 * Forgets what is more than a gateway keeps. Rows that another transaction forgets are left to it. Looks at 1,100 entries of
 * gateway_changes_gateway_id_idx at most. SQL: skips locked rows.
 * @param added changes that are written beside it
 */
const forgetOldest = (gateway: string, added: number): Sql => sql`
  delete from gateway_changes where id = any(array(
    select id from gateway_changes
     where gateway = ${gateway}
       and id <= (select id from gateway_changes where gateway = ${gateway}
                   order by id desc offset ${CHANGES_KEPT - added}::int limit 1)
     order by id limit ${FORGOTTEN_AT_ONCE} for update skip locked))`

/** SQL: a part of another statement. @param changes `c (kind, subject, name, fields)` */
const insertChanges = (gateway: string, author: Author | null, changes: Sql): Sql => sql`
  insert into gateway_changes (gateway, kind, subject, name, fields, wallet, api_key_id, api_key_name)
  select ${gateway}, c.kind, c.subject, c.name, string_to_array(c.fields, ' '), ${author?.wallet ?? null},
         ${author?.apiKey?.id.toString() ?? null}::bigint, ${author?.apiKey?.name ?? null}
    from ${changes}`

/**
 * The statement that writes changes of one gateway. The gateway's newest 1,000 stay, whoever writes at the same time. SQL: skips
 * what others have locked.
 * @param author null: the service itself
 */
export const writeChangesOf = (
  gateway: string,
  author: Author | null,
  changes: readonly Change[],
): Sql => sql`
  with forgotten as (${forgetOldest(gateway, changes.length)}) ${insertChanges(gateway, author, CHANGES.listOf(changes))}`

/** The same as parts of the `with` of a statement that changes at most one thing, and has `changed (subject, name)` before. */
export const logChangeOf = (gateway: string, author: Author | null, kind: ChangeKind): Sql => sql`
  forgotten as (${forgetOldest(gateway, 1)}),
  logged as (${insertChanges(gateway, author, sql`(select ${kind} as kind, subject, name, '' as fields from changed) c`)})`

/** Writes changes of one gateway, within the transaction that is under way. */
export async function writeChanges(
  { database }: Store,
  gateway: string,
  author: Author,
  changes: readonly Change[],
): Promise<void> {
  if (changes.length > 0) await database.execute(writeChangesOf(gateway, author, changes))
}
