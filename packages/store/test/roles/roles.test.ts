// Each service's role has what the statements of that service need, and nothing else.
import { createDatabase, queryOnce, withClient } from '@payment-tracking/testkit'
import t from 'tap'
import { migrate } from '../../src/core/database/migrate.js'
import { grantRights } from '../../src/core/database/grant-rights.js'
import {
  rightsOf,
  roleOf,
  secretsFor,
  SERVICES_WITH_ROLES,
  TABLES_WITH_RIGHTS,
  urlOfRole,
} from '../../src/core/database/roles.js'
import { findNeeds, findUnnamed } from './find-needs.js'

/** `api a trackings`: what the release before needs, and this one no more. Upgrades run both on the rights of this one. */
const NEEDED_BEFORE: ReadonlySet<string> = new Set()

const database = await createDatabase(t)
const owner = new URL(database.url).username

t.test('the table of rights is what the statements of each service need', async t => {
  for (const service of SERVICES_WITH_ROLES) {
    t.same(findUnnamed(service), [], `${service}: NAMED_ELSEWHERE of find-needs.ts says what these write`)
    const needs = findNeeds(service)
    const needed = new Set(needs.map(({ table, right }) => `${table} ${right}`))
    const lacking = needs.filter(({ table, right }) => {
      const has = rightsOf(service, table)
      return right === 'l' ? false : !has.includes(right)
    })
    t.same(
      lacking.map(({ table, right, way }) => `${table} ${right}: ${way.join(' of ')}`),
      [],
      `${service}: RIGHTS of packages/store/src/core/database/roles.ts has what its statements do`,
    )
    for (const table of TABLES_WITH_RIGHTS)
      for (const right of rightsOf(service, table))
        t.ok(
          needed.has(`${table} ${right}`) || NEEDED_BEFORE.has(`${service} ${right} ${table}`),
          `${service} needs "${right}" of ${table}`,
        )
  }
})

t.test('the roles have these rights in a migrated database, and no other', async t => {
  const tables = await database.pool.query<{ name: string }>(
    `select c.relname as name from pg_class c where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace`,
  )
  const names = tables.rows.map(({ name }) => name).filter(name => !name.startsWith('_'))
  t.same(
    names.filter(name => !TABLES_WITH_RIGHTS.includes(name)),
    [],
    'RIGHTS of packages/store/src/core/database/roles.ts says of each new table what each service does with it',
  )
  const others = TABLES_WITH_RIGHTS.filter(name => !names.includes(name))
  t.same(others, [], 'RIGHTS says nothing of tables that are gone')
  const WORDS = { a: 'insert', r: 'select', w: 'update', d: 'delete' }
  for (const service of SERVICES_WITH_ROLES) {
    const role = roleOf(owner, service)
    const { rows } = await database.pool.query<{ name: string; granted: string[]; some: string[] }>(
      `select c.relname as name,
              array(select p from unnest($2::text[]) p where has_table_privilege($1, c.oid, p)) as granted,
              array(select p from unnest('{select,update}'::text[]) p where has_any_column_privilege($1, c.oid, p)) as some
         from pg_class c where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace`,
      [role, ['insert', 'select', 'update', 'delete', 'truncate', 'references', 'trigger']],
    )
    for (const { name, granted, some } of rows) {
      const rights = rightsOf(service, name)
      const partly = secretsFor(service, name).length > 0
      const whole = Object.entries(WORDS).flatMap(([letter, word]) =>
        rights.includes(letter) && !(partly && 'rw'.includes(letter)) ? [word] : [],
      )
      t.same(granted.sort(), whole.sort(), `${service} and ${name}`)
      const columns = [
        ...(rights.includes('r') ? ['select'] : []),
        ...(/[wl]/.test(rights) ? ['update'] : []),
      ]
      t.same(some, columns, `${service} and columns of ${name}`)
    }
    const [can] = await queryOnce<Record<string, boolean>>(
      database.url,
      `select rolsuper or rolcreatedb or rolcreaterole or rolreplication or rolbypassrls as "more",
              has_schema_privilege(oid, 'public', 'create') as "makes",
              exists (select from pg_auth_members where member = r.oid or roleid = r.oid) as "isMember"
         from pg_roles r where rolname = '${role}'`,
    )
    t.same(can, { more: false, makes: false, isMember: false }, `${service} is nobody else`)
  }
})

t.test('every column of a secret is known as one', async t => {
  const { rows } = await database.pool.query<{ table: string; column: string }>(
    `select table_name as table, column_name as column from information_schema.columns where table_schema = 'public'`,
  )
  const known = TABLES_WITH_RIGHTS.flatMap(table =>
    secretsFor('realtime', table).map(column => `${table}.${column}`),
  )
  const names = rows.map(({ table, column }) => `${table}.${column}`)
  const found = known.filter(name => !names.includes(name))
  t.same(found, [], 'SECRETS of packages/store/src/core/database/roles.ts names columns that are there')
  const unlisted = names.filter(name => /secret|\.headers$/.test(name) && !known.includes(name))
  t.same(unlisted, [], 'SECRETS names each of them')
})

t.test('a service cannot do what it does not need', async t => {
  const DENIED = { code: '42501' }
  for (const [service, statement] of [
    ['realtime', 'select * from webhooks'],
    ['realtime', 'update events set amount = 0'],
    ['realtime', 'insert into messages default values'],
    ['realtime', 'insert into deliveries (webhook_id) values (1)'],
    ['api', `insert into events (id) values (gen_random_uuid())`],
    ['api', 'update events set amount = 1'],
    ['api', 'delete from trackings'],
    ['api', 'update stream_head set position = 0'],
    ['webhook-worker', 'select * from gateway_sessions'],
    ['webhook-worker', 'update event_counts set count = 0'],
    ['ops', 'select secret from webhooks'],
    ['ops', 'select earlier_secrets from webhooks'],
    ['ops', 'select * from api_keys'],
    ['ingest', 'select headers from webhooks'],
    ['ingest', `update webhooks set secret = 'x'`],
    ['ingest', 'select * from gateway_sessions'],
    ...SERVICES_WITH_ROLES.flatMap(service =>
      [
        'create table mine (id integer)',
        'drop table events',
        'truncate events',
        'alter table events add x text',
      ].map(statement => [service, statement] as const),
    ),
  ] as const)
    await t.rejects(
      queryOnce(urlOfRole(database.url, service), statement),
      DENIED,
      `${service}: ${statement}`,
    )
})

t.test('a migration takes back what a role has beyond its rights, and gives what was taken', async t => {
  const role = roleOf(owner, 'realtime')
  await database.pool.query(`grant all on webhooks to ${role}; revoke select on events from ${role}`)
  t.same(await migrate(database.url), [], 'nothing to apply')
  const url = urlOfRole(database.url, 'realtime')
  await t.rejects(queryOnce(url, 'select id from webhooks'), { code: '42501' })
  t.same(await queryOnce(url, 'select id from events'), [])
})

t.test('without roles of its services a server is migrated, and says which are missing', async t => {
  const lonely = `lonely_${process.pid}`
  await withClient(database.url, async client => {
    await client.query(`create role ${lonely} superuser`)
    await client.query(`set role ${lonely}`)
    const wanted = SERVICES_WITH_ROLES.map(service => roleOf(lonely, service))
    t.same(await grantRights(client), wanted)
    await client.query('reset role')
    await client.query(`drop role ${lonely}`)
  })
})
