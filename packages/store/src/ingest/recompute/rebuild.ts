// A rebuild writes down work for every address, some hundreds at once: each is folded again. Beside them, figures are counted again.
import { DIRECT_TRANSFER_POLICY } from '@payment-tracking/domain'
import { inline, sql, type PipelinedTx, type Sql, type Tx } from '../../core/database/sql.js'
import { isNotQuarantined } from '../../core/quarantine/isolate.js'
import type { WorkKind } from '../../core/tasks/under-writer-lock.js'
import { addKeys, continueAt } from '../../core/tasks/work-table.js'
import { FROM_START } from './chain-positions.js'
import { addPolicyWork } from './policy-work.js'

export const addRebuild = (tx: PipelinedTx): void => addKeys(tx, 'rebuild', ['rebuild'])

/** Reads the keys after one, at most so many; '' is the beginning. */
type ReadKeys = (tx: Tx, after: string, limit: number) => Promise<string[]>

const OF_CHANGES = sql`name <> 'PaymentRecord'`

/** The kinds of work, in this order. A cursor is a kind and its last key. Kinds take turns: an order that matters is named. */
const STEPS: readonly { kind: string; read: ReadKeys; waitsFor?: string }[] = [
  { kind: 'gateway', read: (...page) => readKeys(sql`gateway`, OF_CHANGES, ...page) },
  { kind: 'account', read: (...page) => readKeys(sql`user_payment`, OF_CHANGES, ...page) },
  {
    kind: 'policy',
    read: (...page) => readKeys(sql`payment_policy`, sql`payment_policy is not null`, ...page),
    // Payments have the owner and the mint of their user payment.
    waitsFor: 'account',
  },
  { kind: 'figures', read: (_tx, after) => Promise.resolve(after === '' ? ['figures'] : []) },
]

export const REBUILD: WorkKind<object> = {
  page: async (tx, [work], { head, rows }) => {
    const { cursor } = work!
    const [, named = cursor, after = ''] = /^(\S+) (.*)$/s.exec(cursor) ?? []
    const found = STEPS.findIndex(({ kind }) => kind === named)
    const at = Math.max(0, found)
    const { kind, read, waitsFor } = STEPS[at]!
    if (waitsFor !== undefined && (await hasRemaining(tx, waitsFor))) return { done: [], continued: work }
    const keys = await read(tx, after, rows)
    if (kind === 'policy') {
      const policies = keys.filter(key => key !== DIRECT_TRANSFER_POLICY)
      const anew = policies.map(address => ({ address, cursor: FROM_START }))
      addPolicyWork(tx, anew, { position: head.position, isNotified: false })
    } else addKeys(tx, kind, keys)
    return continueAt(work!, keys.length > 0 ? `${kind} ${keys.at(-1)}` : STEPS[at + 1]?.kind)
  },
}

/** Whether work of a kind remains that is not quarantined. */
async function hasRemaining(tx: Tx, kind: string): Promise<boolean> {
  const rows = await tx.$queryRaw<object[]>(sql`
    select 1 from work w where w.kind = ${kind} and ${isNotQuarantined('task', sql`w.kind || ' ' || w.key`)} limit 1`)
  return rows.length > 0
}

/** The next different values of a column, each found by one probe of the column's index. */
async function readKeys(
  column: Sql,
  condition: Sql,
  tx: Tx,
  after: string,
  limit: number,
): Promise<string[]> {
  const next = (previous: Sql) => sql`
    select ${column} as key from events where ${column} > ${previous} and ${condition} order by ${column} limit 1`
  const rows = await tx.$queryRaw<{ key: string }[]>(sql`
    with recursive keys (key, number) as (
      select (${next(sql`${after}`)}), 1
      union all
      select (${next(sql`keys.key`)}), number + 1 from keys where key is not null and number < ${inline(limit)}
    )
    select key from keys where key is not null`)
  return rows.map(({ key }) => key)
}
