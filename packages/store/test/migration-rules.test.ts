// Expand, then contract: the previous release runs on the new schema until the last of its processes has ended. Which statements are
// known to be safe says docs/upgrades.md; everything else must say why it is, in the file: `-- safe: <reason>` before it.
import { readMigrations } from '@payment-tracking/store/core'
import t from 'tap'

/** Comments apart from reasons, and the insides of strings and dollar quotes, say nothing about safety. */
function splitStatements(text: string) {
  const statements: { sql: string; reason: string | undefined }[] = []
  let sql = ''
  let reason: string | undefined
  const end = () => {
    if (sql.trim()) statements.push({ sql: sql.trim().replace(/\s+/g, ' '), reason })
    sql = ''
    reason = undefined
  }
  const tokens = text.matchAll(/--[^\n]*|\/\*[^]*?\*\/|'(?:[^']|'')*'|(\$\w*\$)[^]*?\1|;|[^]/g)
  for (const [token] of tokens) {
    if (token === ';') end()
    else if (token.startsWith('--')) reason = /^--\s*safe:\s*(\S.*)/i.exec(token)?.[1] ?? reason
    else if (token.startsWith('/*')) continue
    else if (token.length > 1) sql += "''"
    else sql += token
  }
  end()
  return statements
}

/** Commas inside parentheses belong to types and defaults. */
const splitActions = (text: string): string[] => text.split(/,(?![^()]*\))/).map(action => action.trim())

const nameIn = (pattern: RegExp, sql: string): string | undefined => pattern.exec(sql)?.[1]?.toLowerCase()

const CREATED_TABLE = /^create table (?:if not exists )?([\w".]+)/i
const CREATED_INDEX = /^create (?:unique )?index .*? on (?:only )?([\w".]+)/i
const ALTERED_TABLE = /^alter table (?:if exists )?(?:only )?([\w".]+) (.*)$/i
/** A constant: Postgres keeps it in the catalogue, where a function would write every row anew under the lock. */
const CONSTANT_DEFAULT = /\bdefault (?:'|-?\d|true\b|false\b|now\(\)|current_timestamp\b)/i

function judgeAction(action: string): string | undefined {
  if (/^add (?:column )?(?!constraint\b|check\b|unique\b|primary\b|foreign\b)/i.test(action)) {
    if (/\b(?:references|unique|primary key|check|generated)\b/i.test(action))
      return 'a constraint on a new column is checked under the lock, and the last release does not know it'
    if (/\bdefault\b/i.test(action) && !CONSTANT_DEFAULT.test(action))
      return 'a default that is no constant writes every row anew under the lock'
    if (/\bnot null\b/i.test(action) && !/\bdefault\b/i.test(action))
      return 'the last release inserts rows without it: NOT NULL needs a default'
    return undefined
  }
  if (/^alter (?:column )?\S+ (?:drop not null|set default|set statistics)\b/i.test(action)) return undefined
  // Storage parameters: a lock that lets reads and writes pass, and no row is touched.
  if (/^(?:re)?set \(/i.test(action)) return undefined
  return 'it is not known to leave the last release working'
}

function judge(sql: string, created: ReadonlySet<string>, alone: boolean): string | undefined {
  if (/\bconcurrently\b/i.test(sql) && !alone)
    return 'CONCURRENTLY cannot run in a transaction, which a file of several statements is: give it its own'
  const indexed = nameIn(CREATED_INDEX, sql)
  if (indexed !== undefined) {
    if (created.has(indexed)) return undefined
    if (/^create unique/i.test(sql)) return 'the last release may write what a new unique index refuses'
    return /\bconcurrently\b/i.test(sql)
      ? undefined
      : 'it stops writes to the table: CREATE INDEX CONCURRENTLY'
  }
  const altered = ALTERED_TABLE.exec(sql)
  if (altered) {
    if (created.has(altered[1]!.toLowerCase())) return undefined
    return splitActions(altered[2]!).map(judgeAction).find(Boolean)
  }
  if (CREATED_TABLE.test(sql) || /^comment on\b/i.test(sql)) return undefined
  const filled = nameIn(/^insert into ([\w".]+)/i, sql)
  if (filled !== undefined && created.has(filled)) return undefined
  return 'it is not known to leave the last release working'
}

/** @returns the statements that are neither known to be safe nor said to be, each with what is wrong with it */
function findUnsafeStatements(text: string) {
  const statements = splitStatements(text)
  const created = new Set(
    statements.map(({ sql }) => nameIn(CREATED_TABLE, sql)).filter(name => name !== undefined),
  )
  return statements.flatMap(({ sql, reason }) => {
    const why = judge(sql, created, statements.length === 1)
    // Postgres itself refuses this one, whatever the reason.
    const cannotRun = why?.startsWith('CONCURRENTLY')
    return why === undefined || (reason !== undefined && !cannotRun) ? [] : [{ statement: sql, why }]
  })
}

t.test('each migration lets the previous release work, or states why it is safe', async t => {
  for (const { name, sql } of await readMigrations())
    t.strictSame(findUnsafeStatements(sql), [], `${name}: see docs/upgrades.md`)
})

const SAFE = [
  'create table notes (id bigint primary key, text text not null); create unique index notes_text on notes (text)',
  'create table marks (id int); insert into marks values (1)',
  'alter table events add column note text',
  'alter table events add note text, add column size numeric(20, 0) not null default 0',
  "alter table events add column seen_at timestamptz default now(), add column kind text not null default 'it''s; drop'",
  'alter table events alter column note drop not null, alter note set default 1',
  'alter table events set (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.01)',
  '-- Newest first.\ncreate index concurrently events_note on events (note) where note is not null',
  "comment on table events is 'drop table events;'",
  '/* ; */ alter table events add column note text -- drop table events;',
  '-- safe: nothing has read it since 1.4\nalter table events drop column note',
]
const UNSAFE = [
  'drop table events',
  'alter table events drop column data',
  'alter table events rename column data to body',
  'alter table events rename to happenings',
  'alter table events add column note text not null',
  'alter table events add column note text, add column size int not null',
  'alter table events add column seen_at timestamptz not null default clock_timestamp()',
  'alter table events add column id2 uuid default gen_random_uuid()',
  'alter table events add column other bigint references events (position)',
  'alter table events add constraint sane check (slot > 0)',
  'alter table events alter column slot type int',
  'alter table events alter column recipient set not null',
  'alter table events alter column due_at drop default',
  'create index events_note on events (note)',
  'create unique index concurrently events_note on events (note)',
  'create index concurrently a on events (note); create index concurrently b on events (name)',
  '-- safe: not this\ncreate index concurrently a on events (note); select 1',
  'drop index events_slot',
  'update events set note = null',
  'create trigger watch after insert on events for each row execute function f()',
  '-- safe:\ndrop table events',
  '-- safe: this one alone\ndrop table events; drop table policies',
]

t.test('safe statements pass, unsafe statements are found', async t => {
  for (const sql of SAFE) t.strictSame(findUnsafeStatements(sql), [], sql)
  for (const sql of UNSAFE) t.not(findUnsafeStatements(sql).length, 0, sql)
})
