// What Postgres says of a statement that ran: its plan, as `explain (analyze, format json)` answers it.
import type { Pool } from '@payment-tracking/testkit'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { writeValue } from '../../src/core/database/pg-codec.js'
import { sql, toStatement, type ClientTx, type Sql, type Tx } from '../../src/core/database/sql.js'
import type { PipelinedTx } from '../../src/core/database/pipelined-transactions.js'
import type { Store } from '../../src/core/database/open-store.js'

/** Where the store reports each statement it sends. */
export const STATEMENTS = 'payment-tracking:store:statement'
const EXPLAIN = 'explain (analyze, buffers, timing off, format json)'

export interface Plan {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  Plans?: Plan[]
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Rows Removed by Index Recheck'?: number
  'Shared Hit Blocks'?: number
  'Shared Read Blocks'?: number
}

/** The indexes that a plan uses. */
export const indexesOf = (plan: Plan): string[] => [
  ...(plan['Index Name'] === undefined ? [] : [plan['Index Name']]),
  ...(plan.Plans ?? []).flatMap(indexesOf),
]

/** A transaction of Prisma's client, whose statements are run by others; its models and settings stay. */
export const withStatements = (tx: ClientTx, statements: Tx): ClientTx =>
  new Proxy(tx, { get: (own, name) => Reflect.get(name in statements ? statements : own, name) as unknown })

/** The rows that a plan took from tables and indexes, those it dropped included, and those it wrote. */
export function rowsOfPlan(plan: Plan): number {
  const inner = (plan.Plans ?? []).reduce((total, child) => total + rowsOfPlan(child), 0)
  if (plan['Relation Name'] === undefined) return inner
  const perLoop =
    plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0) + (plan['Rows Removed by Index Recheck'] ?? 0)
  return inner + perLoop * plan['Actual Loops']
}

/** How often a plan touched a block of a table or an index, which shows entries of an index that it passed. */
export const blocksOf = (plan: Plan): number =>
  (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0)

/** What the first sort of a connection reads of Postgres' own tables. */
const FIRST_SORT_BLOCKS = 14
const sorts = (plan: Plan): boolean =>
  plan['Node Type'] === 'Incremental Sort' || (plan.Plans ?? []).some(sorts)
/** How many of the blocks of plans, of one connection each, say nothing of what was asked. */
export const ownBlocksOf = (plan: Plan): number => (sorts(plan) ? FIRST_SORT_BLOCKS : 0)

/** Reads all pages. */
export async function readPages<Page>(pages: AsyncIterable<Page>): Promise<Page[]> {
  const read: Page[] = []
  for await (const page of pages) read.push(page)
  return read
}

/** A read of the store, or what a transaction of ingest reads. */
export type Query = (store: Store, tx: PipelinedTx) => Promise<unknown>
/** A read of the store, with what it is asked. */
export const run =
  <Asked extends unknown[]>(read: (store: Store, ...asked: Asked) => unknown, ...asked: Asked): Query =>
  async store =>
    read(store, ...asked)
/** All pages of a read. */
export const pagesOf =
  <Asked extends unknown[]>(
    read: (store: Store, ...asked: Asked) => AsyncIterable<unknown>,
    ...asked: Asked
  ): Query =>
  store =>
    readPages(read(store, ...asked))
/** What a transaction reads. */
export const inTx =
  <Asked extends unknown[]>(read: (tx: PipelinedTx, ...asked: Asked) => unknown, ...asked: Asked): Query =>
  async (_, tx) =>
    read(tx, ...asked)

export interface Sent {
  text: string
  values: (string | number | bigint | boolean | null)[]
}

/** The statements that a query sends. Those of a transaction find nothing and write nothing. */
export async function sentBy(store: Store, query: Query): Promise<Sent[]> {
  const sent: Sent[] = []
  const note = (statement: unknown) => void sent.push(statement as Sent)
  const take = (...[first, ...values]: Parameters<Tx['$queryRaw']>) => {
    const statement = toStatement(first, values)
    note({ text: statement.text, values: statement.values.map(writeValue) as Sent['values'] })
  }
  const tx: PipelinedTx = {
    $queryRaw: <Rows>(...asked: Parameters<Tx['$queryRaw']>) => (take(...asked), Promise.resolve([] as Rows)),
    $executeRaw: (...asked) => (take(...asked), Promise.resolve(0)),
    send: statement => take(statement),
    together: work => work(),
    sendModel: () => {},
    withModels: () => Promise.resolve([] as never),
  }
  subscribe(STATEMENTS, note)
  await query(store, tx).finally(() => unsubscribe(STATEMENTS, note))
  return sent
}

const literal = (value: Sent['values'][number]): string =>
  value === null ? 'null' : `'${String(value).replaceAll("'", "''")}'`

/**
 * Runs statements once more with the values that were sent, and takes back what they write.
 * @param options.mode whether the plan is made for these values or for all values
 * @param options.without an index that is dropped meanwhile
 */
export async function explain(
  pool: Pool,
  statements: readonly Sent[],
  { mode = 'force_custom_plan', without }: { mode?: string | undefined; without?: string } = {},
): Promise<Plan[]> {
  const client = await pool.connect()
  const plans: Plan[] = []
  try {
    await client.query('begin')
    await client.query(`set local plan_cache_mode = ${mode}`)
    if (without !== undefined) await client.query(`drop index ${without}`)
    for (const { text, values } of statements) {
      await client.query(`savepoint explained; prepare asked as ${text}`)
      const call = values.length === 0 ? 'asked' : `asked(${values.map(literal).join(', ')})`
      const { rows } = await client.query<{ 'QUERY PLAN': { Plan: Plan }[] }>(`${EXPLAIN} execute ${call}`)
      plans.push(rows[0]!['QUERY PLAN'][0]!.Plan)
      await client.query('deallocate asked; rollback to savepoint explained')
    }
    return plans
  } finally {
    // What is prepared outlives a transaction, and ends with the connection.
    await client.query('rollback')
    client.release(true)
  }
}

export interface Explained {
  rows: number
  text: string
  plan: Plan
}

/** Explains a statement where it would run, and takes back what it wrote. */
export async function explainIn(tx: Tx, { strings, values, text }: Sql): Promise<Explained> {
  await tx.$executeRaw`savepoint explained`
  const [row] = await tx.$queryRaw<{ 'QUERY PLAN': { Plan: Plan }[] | string }[]>(
    sql([`${EXPLAIN} ${strings[0]}`, ...strings.slice(1)], ...values),
  )
  await tx.$executeRaw`rollback to savepoint explained`
  const answer = row!['QUERY PLAN']
  const [{ Plan: plan }] = (typeof answer === 'string' ? JSON.parse(answer) : answer) as [{ Plan: Plan }]
  return { rows: rowsOfPlan(plan), text, plan }
}
