// What the statements of a declaration need of each table, by the letters of `roles.ts`.
import { readFileSync } from 'node:fs'
import { TABLES_WITH_RIGHTS, type ServiceWithRole } from '../../src/core/database/roles.js'
import { PRUNED_TABLES } from '../../src/ingest/retention/prune.js'
import { reachedBy, textOf, type Name } from './read-source.js'

const SCHEMA = readFileSync(new URL('../../../../prisma/schema.prisma', import.meta.url), 'utf8')
/** The table of each model of Prisma, by its name in the client. */
const MODELS = [...SCHEMA.matchAll(/^model (\w)(\w+) \{\n(?:[ \t].*\n|\n)*? +@@map\("(\w+)"\)/gm)].map(
  ([, first, rest, table]) => [`${first!.toLowerCase()}${rest}`, table!] as const,
)
const OF_METHOD: Readonly<Record<string, string>> = {
  create: 'ar',
  upsert: 'arw',
  createMany: 'ar',
  createManyAndReturn: 'ar',
  updateMany: 'rw',
  deleteMany: 'rd',
  findUnique: 'r',
  findFirst: 'r',
  findMany: 'r',
  count: 'r',
}

/** Tables whose names the statements of a declaration are given. */
const NAMED_ELSEWHERE: Readonly<Record<Name, { tables: readonly string[]; rights: string }>> = {
  'ingest/retention/prune.ts#pruneStep': { tables: PRUNED_TABLES, rights: 'rd' },
  'ingest/recompute/recompute-rows.ts#writeRecomputed': {
    tables: ['policy_notices', 'risk_notices'],
    rights: 'rw',
  },
  'ingest/recompute/accounts.ts#recomputeBy': { tables: ['gateways', 'user_payments'], rights: 'rd' },
}

/** Numbers the messages of a transaction, if `logMessages` wrote some. */
const NUMBERS_MESSAGES = 'core/tables/messages.ts#numberMessages'
const LOGS_MESSAGES = 'core/tables/messages.ts#logMessages'

const LOCKS = /\bfor (?:no key )?(?:update|share)\b/
const CONFLICT = /on conflict[^]*?do update/

function rightsIn(name: Name, table: string): string {
  const text = textOf(name)
  const has = (pattern: string) => new RegExp(pattern).test(text)
  const rights: string[] = []
  if (has(`insert into\\s+${table}\\b`)) {
    rights.push('a')
    if (CONFLICT.test(text)) rights.push('rw')
    else if (/returning|on conflict/.test(text)) rights.push('r')
  }
  if (has(`\\bupdate\\s+${table}\\b`)) rights.push('rw')
  if (has(`delete from\\s+${table}\\b`)) rights.push('rd')
  if (has(`(?<!delete )(?:\\b(?:from|join|using)|,)\\s+${table}\\b`)) {
    rights.push('r')
    if (LOCKS.test(text)) rights.push('l')
  }
  for (const [model, of] of MODELS)
    if (of === table)
      for (const [, method] of text.matchAll(new RegExp(`\\b(?:tx|client)\\.${model}\\.(\\w+)`, 'g')))
        rights.push(OF_METHOD[method!] ?? `?${method}`)
  const elsewhere = NAMED_ELSEWHERE[name]
  if (elsewhere?.tables.includes(table)) rights.push(elsewhere.rights)
  return rights.join('')
}

/** Declarations that write a table whose name they are given, and of which NAMED_ELSEWHERE does not say what they need. */
export const findUnnamed = (service: ServiceWithRole): Name[] =>
  [...reachedBy(service).keys()].filter(
    name => !(name in NAMED_ELSEWHERE) && /\b(?:update|insert into|delete from)\s+\$\{/.test(textOf(name)),
  )

export interface Need {
  table: string
  right: string
  /** the declaration, and the way to it */
  way: Name[]
}

/** What a service needs, each right of each table once. Locks are found in any statement of a declaration that locks. */
export function findNeeds(service: ServiceWithRole): Need[] {
  const reached = reachedBy(service)
  const needs = new Map<string, Need>()
  for (const name of reached.keys()) {
    if (name === NUMBERS_MESSAGES && !reached.has(LOGS_MESSAGES)) continue
    for (const table of TABLES_WITH_RIGHTS)
      for (const right of rightsIn(name, table)) {
        const key = `${table} ${right}`
        if (needs.has(key)) continue
        const way: Name[] = []
        for (let at: Name | null = name; at !== null; at = reached.get(at) ?? null) way.push(at)
        needs.set(key, { table, right, way })
      }
  }
  return [...needs.values()]
}
