// The pages of a rebuild: every address is folded again from its events, and every figure is counted again.
import { DIRECT_TRANSFER_POLICY } from '@payment-tracking/domain'
import { raw, sql, type Sql, type Tx } from '../database/sql.js'
import type { PipelinedTx } from '../database/pipelined-transactions.js'
import { recountAllOf } from './recount-hours.js'
import { refoldGateways, refoldUserPayments } from './refold-accounts.js'
import type { RefoldCause } from './refold.js'
import type { Work } from './work.js'

/** The steps of a rebuild, and the columns of events that name its keys. A cursor is a step and its last key. */
const STEPS = ['gateways', 'user-payments', 'policies', 'hours'] as const
type Step = (typeof STEPS)[number]

/** A page of a rebuild. */
export interface RebuildPage {
  left: Work | null
  /** why policies of the page are folded again */
  causes: Map<string, RefoldCause>
}

export interface RebuildOptions {
  programId: string
  /** the most addresses of the page: each costs some probes */
  limit: number
  /** set by `rebuildPage`: names the keys of its page */
  page: { rows: string[] }
}

/**
 * Does the next page of a rebuild, or the one key of `leftOut`. A key that was left out is passed, until the rebuild of
 * that key is taken up by itself.
 */
export async function rebuildPage(
  tx: PipelinedTx,
  work: Work,
  { programId, limit, page }: RebuildOptions,
): Promise<RebuildPage> {
  const [named = '', after = ''] = work.cursor.split(' ')
  const step = STEPS.find(each => each === named) ?? STEPS[0]
  const { read, fold } = DO[step]
  const isOfOne = work.address !== REBUILD
  const keys = isOfOne ? [after] : await read(tx, after, limit)
  const nameOf = (key: string) => `${step} ${key}`
  const passed = isOfOne ? new Set() : await readLeftOut(tx, keys.map(nameOf))
  const standing = keys.filter(key => !passed.has(nameOf(key)))
  page.rows = standing.map(nameOf)
  const causes = await fold(tx, standing, programId)
  if (isOfOne) return { left: null, causes }
  const last = keys.at(-1)
  if (last !== undefined) return { left: { ...work, cursor: nameOf(last) }, causes }
  const next = STEPS[STEPS.indexOf(step) + 1]
  return { left: next === undefined ? null : { ...work, cursor: next }, causes }
}

/** The address of the work of a whole rebuild; that of one key is named as in `RebuildOptions.page`. */
export const REBUILD = 'rebuild'

/** The work that a rebuild leaves when a key makes its page fail. */
export const leftOut = (
  name: string,
  { sincePosition }: Pick<Work, 'sincePosition'>,
): Omit<Work, 'state'> => ({ kind: 'all', address: name, cursor: name, sincePosition })

async function readLeftOut(tx: Tx, names: readonly string[]): Promise<Set<string>> {
  if (names.length === 0) return new Set()
  const rows = await tx.$queryRaw<{ address: string }[]>`
    select address from refolds where kind = 'all' and address = any(${[...names]}::text[])`
  return new Set(rows.map(({ address }) => address))
}

interface StepOfRebuild {
  /** the next keys; none when the step is done */
  read: (tx: Tx, after: string, limit: number) => Promise<string[]>
  fold: (tx: PipelinedTx, keys: readonly string[], programId: string) => Promise<Map<string, RefoldCause>>
}

const NO_CAUSES = new Map<string, RefoldCause>()

const DO: Record<Step, StepOfRebuild> = {
  gateways: {
    read: (tx, after, limit) => readKeys(tx, sql`gateway`, sql`name <> 'PaymentRecord'`, { after, limit }),
    fold: async (tx, keys, programId) => {
      await refoldGateways(tx, keys, programId)
      return NO_CAUSES
    },
  },
  'user-payments': {
    read: (tx, after, limit) =>
      readKeys(tx, sql`user_payment`, sql`name <> 'PaymentRecord'`, { after, limit }),
    fold: async (tx, keys, programId) => {
      await refoldUserPayments(tx, keys, programId)
      return NO_CAUSES
    },
  },
  policies: {
    read: (tx, after, limit) =>
      readKeys(tx, sql`payment_policy`, sql`payment_policy is not null`, { after, limit }),
    fold: (_tx, keys) => {
      const policies = keys.filter(key => key !== DIRECT_TRANSFER_POLICY)
      const anew = (): RefoldCause => ({ payments: [], from: '', events: [], anew: true })
      return Promise.resolve(new Map(policies.map(key => [key, anew()])))
    },
  },
  // One hour is read whole, of all gateways: the time that its page takes grows with the events of an hour.
  hours: {
    read: async (tx, after) => {
      const rows = await tx.$queryRaw<{ start: Date }[]>(sql`
        select date_trunc('hour', occurred_at, 'UTC') as start from events
         where occurred_at >= coalesce(nullif(${after}, '')::timestamptz + interval '1 hour', '-infinity')
         order by occurred_at limit 1`)
      return rows.map(({ start }) => start.toISOString())
    },
    fold: async (tx, keys) => {
      for (const key of keys) await recountAllOf(tx, new Date(key))
      return NO_CAUSES
    },
  },
}

/** The next different values of a column, each found by one probe of the column's index. */
async function readKeys(
  tx: Tx,
  column: Sql,
  condition: Sql,
  { after, limit }: { after: string; limit: number },
): Promise<string[]> {
  const next = (previous: Sql) => sql`
    select ${column} as key from events where ${column} > ${previous} and ${condition} order by ${column} limit 1`
  const rows = await tx.$queryRaw<{ key: string }[]>(sql`
    with recursive keys (key, number) as (
      select (${next(sql`${after}`)}), 1
      union all
      select (${next(sql`keys.key`)}), number + 1 from keys where key is not null and number < ${raw(String(limit))}
    )
    select key from keys where key is not null`)
  return rows.map(({ key }) => key)
}
