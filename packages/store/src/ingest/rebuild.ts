// The pages of a rebuild: every address is folded again from its events, and every figure is counted again.
import { DIRECT_TRANSFER_POLICY } from '@payment-tracking/domain'
import { raw, sql, type Sql, type Tx } from '../database/sql.js'
import type { PipelinedTx } from '../database/pipelined-transactions.js'
import { COMPARING, type Compared } from './compare-figures.js'
import { refoldGateways, refoldUserPayments } from './refold-accounts.js'
import type { RefoldCause } from './refold.js'
import type { Work } from './work.js'

/** The steps of a rebuild, and the columns of events that name its keys. A cursor is a step and its last key. */
const STEPS = ['gateways', 'user-payments', 'policies', 'hours', 'sums'] as const
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
  /** set by the page: names its keys */
  page: { rows: string[] }
}

/** Does the next page of a rebuild, or the one key of `leftOut`, of a step that reads under the writer lock. */
export async function rebuildPage(
  tx: PipelinedTx,
  work: Work,
  { programId, limit, page }: RebuildOptions,
): Promise<RebuildPage> {
  const { step, after } = placeOf(work)
  const { read, fold } = FOLDING[step as keyof typeof FOLDING]
  const { keys, standing } = await readPage(tx, work, { read, after, limit })
  page.rows = standing.map(key => nameOf(step, key))
  const causes = await fold(tx, standing, programId)
  return { left: leftBehind(work, keys), causes }
}

/** What a page will correct, read before the writer lock is taken. */
export interface PreparedPage {
  keys: string[]
  /** without those that were left out */
  standing: string[]
  compared: Compared
}

/** Whether the pages of some work compare figures, and so are prepared without the writer lock. */
export const comparesFigures = (work: Work): boolean => work.kind === 'all' && placeOf(work).step in COMPARING

/** Compares figures for a page of work that does so. @param tx of one snapshot */
export async function prepareRebuild(
  tx: Tx,
  work: Work,
  { limit, page }: { limit: number; page: { rows: string[] } },
): Promise<PreparedPage> {
  const { step, after } = placeOf(work)
  const { read, compare } = COMPARING[step as keyof typeof COMPARING]
  const { keys, standing } = await readPage(tx, work, { read, after, limit })
  page.rows = standing.map(key => nameOf(step, key))
  return { keys, standing, compared: await compare(tx, standing, limit) }
}

/** Corrects what `prepareRebuild` found, with the writer lock held. @returns the work that is left */
export async function correctFigures(
  tx: PipelinedTx,
  work: Work,
  { keys, standing, compared }: PreparedPage,
): Promise<Work | null> {
  await compared.correct(tx)
  if (compared.right === standing.length) return leftBehind(work, keys)
  const last = standing[compared.right - 1]
  return last === undefined ? work : { ...work, cursor: nameOf(placeOf(work).step, last) }
}

const nameOf = (step: Step, key: string): string => `${step} ${key}`

function placeOf({ cursor }: Work): { step: Step; after: string } {
  const end = cursor.indexOf(' ')
  const named = end === -1 ? cursor : cursor.slice(0, end)
  const step = STEPS.find(each => each === named)
  return { step: step ?? STEPS[0], after: end === -1 ? '' : cursor.slice(end + 1) }
}

const isOfOne = ({ address }: Work): boolean => address !== REBUILD

/** The keys of a page; a key that was left out is passed, until the rebuild of that key is taken up by itself. */
async function readPage(
  tx: Tx,
  work: Work,
  { read, after, limit }: { read: StepOfRebuild['read']; after: string; limit: number },
): Promise<{ keys: string[]; standing: string[] }> {
  if (isOfOne(work)) return { keys: [after], standing: [after] }
  const { step } = placeOf(work)
  const keys = await read(tx, after, limit)
  const passed = await readLeftOut(
    tx,
    keys.map(key => nameOf(step, key)),
  )
  return { keys, standing: keys.filter(key => !passed.has(nameOf(step, key))) }
}

/** What is left behind a page that is done. */
function leftBehind(work: Work, keys: readonly string[]): Work | null {
  if (isOfOne(work)) return null
  const { step } = placeOf(work)
  const last = keys.at(-1)
  if (last !== undefined) return { ...work, cursor: nameOf(step, last) }
  const next = STEPS[STEPS.indexOf(step) + 1]
  return next === undefined ? null : { ...work, cursor: next }
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

const FOLDING: Record<Exclude<Step, keyof typeof COMPARING>, StepOfRebuild> = {
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
