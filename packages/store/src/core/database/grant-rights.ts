// Makes the roles of services, and gives them the rights of roles.ts.
import type pg from 'pg'
import {
  rightsOf,
  roleOf,
  secretsFor,
  SERVICES_WITH_ROLES,
  TABLES_WITH_RIGHTS,
  urlOfRole,
  type ServiceWithRole,
} from './roles.js'
import { withClient } from './with-client.js'

/**
 * Makes the services' roles on a private server. On other servers infra/postgres/make-roles.sh does it.
 * @param ownerUrl the address of any database of the server. On a first start the service's own database does not exist yet
 */
export async function makeRoles(ownerUrl: string): Promise<void> {
  await withClient({ connectionString: ownerUrl }, async client => {
    for (const service of SERVICES_WITH_ROLES) {
      const { username, password } = new URL(urlOfRole(ownerUrl, service))
      const role = decodeURIComponent(username)
      const { rowCount } = await client.query('select from pg_roles where rolname = $1', [role])
      const verb = rowCount === 0 ? 'create' : 'alter'
      await client.query(
        `${verb} role ${client.escapeIdentifier(role)} login password ${client.escapeLiteral(password)}`,
      )
    }
  })
}

/** A column of the key. */
const KEYS: Readonly<Record<string, string>> = { waiting_messages: 'webhook_id' }

/**
 * Gives each service's role the rights of roles.ts, and takes every other right back. It does so in one transaction, so that a running
 * service never lacks a right. Roles that do not exist are passed over: their services then run as the owner.
 * @returns the roles that do not exist
 */
export async function grantRights(client: pg.Client): Promise<string[]> {
  const quote = (name: string) => client.escapeIdentifier(name)
  const { rows } = await client.query<{ owner: string; schema: string; database: string }>(
    `select current_user as owner, current_schema() as schema, current_database() as database`,
  )
  const { owner, schema, database } = rows[0]!
  const missing: string[] = []
  const statements: string[] = [`revoke create on schema ${quote(schema)} from public`]
  for (const service of SERVICES_WITH_ROLES) {
    const role = roleOf(owner, service)
    const { rows: found } = await client.query<{ connects: boolean }>(
      'select has_database_privilege(oid, current_database(), $2) as connects from pg_roles where rolname = $1',
      [role, 'connect'],
    )
    if (!found[0]) {
      missing.push(role)
      continue
    }
    const to = quote(role)
    if (!found[0].connects) statements.push(`grant connect on database ${quote(database)} to ${to}`)
    statements.push(
      `revoke all on all tables in schema ${quote(schema)} from ${to}`,
      `revoke all on all sequences in schema ${quote(schema)} from ${to}`,
      `grant usage on schema ${quote(schema)} to ${to}`,
      ...(await grantsTo(client, service, to)),
    )
  }
  await client.query(['begin', ...statements, 'commit'].join(';\n')).catch(async (error: unknown) => {
    await client.query('rollback').catch(() => {})
    throw error
  })
  return missing
}

async function grantsTo(client: pg.Client, service: ServiceWithRole, to: string): Promise<string[]> {
  const { rows } = await client.query<{ table: string; columns: string[]; sequences: string[] }>(
    `select c.relname as table, array_agg(quote_ident(a.attname) order by a.attnum) as columns,
            array_remove(array_agg(pg_get_serial_sequence(quote_ident(c.relname), a.attname)), null) as sequences
       from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      where c.relnamespace = current_schema()::regnamespace and c.relname = any($1)
      group by c.relname`,
    [TABLES_WITH_RIGHTS],
  )
  return rows.flatMap(({ table, columns, sequences }) => {
    const secrets = secretsFor(service, table)
    const allowed = columns.filter(column => !secrets.includes(column)).join(', ')
    const wholeOrAllowed = secrets.length === 0 ? '' : ` (${allowed})`
    const words: Readonly<Record<string, string>> = {
      a: 'insert',
      d: 'delete',
      l: `update (${KEYS[table] ?? 'id'})`,
      r: `select${wholeOrAllowed}`,
      w: `update${wholeOrAllowed}`,
    }
    const rights = rightsOf(service, table).split('')
    if (rights.length === 0) return []
    return [
      `grant ${rights.map(right => words[right]).join(', ')} on ${table} to ${to}`,
      // Statements may take the numbers of new rows ahead.
      ...(rights.includes('a')
        ? sequences.map(sequence => `grant usage on sequence ${sequence} to ${to}`)
        : []),
    ]
  })
}
