// Which statements of a migration are known to be safe while the services of the last release run on the same
// database: docs/upgrades.md. Everything else must say why it is, in the file: `-- safe: <reason>` before it.

export interface Unsafe {
  statement: string
  why: string
}

interface Statement {
  sql: string
  reason: string | undefined
}

/** Comments apart from reasons, and the insides of strings and dollar quotes, say nothing about safety. */
function splitStatements(text: string): Statement[] {
  const statements: Statement[] = []
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
export function findUnsafeStatements(text: string): Unsafe[] {
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
