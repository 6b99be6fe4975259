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

export async function rebuildPage(
  tx: PipelinedTx,
  work: Work,
  { programId, limit }: PageOptions,
): Promise<{ left: Work | null; causes: Map<string, RefoldCause> }> {
  const [step = STEPS[0], after = ''] = work.cursor.split(' ') as [Step?, string?]
  const { keys, causes } = await DO[step || STEPS[0]](tx, after, { programId, limit })
  const last = keys.at(-1)
  if (last !== undefined) return { left: { ...work, cursor: `${step || STEPS[0]} ${last}` }, causes }
  const next = STEPS[STEPS.indexOf(step || STEPS[0]) + 1]
  return { left: next === undefined ? null : { ...work, cursor: next }, causes }
}

interface StepDone {
  /** of the page; none when the step is done */
  keys: string[]
  causes: Map<string, RefoldCause>
}

interface PageOptions {
  programId: string
  /** the most addresses of the page: each costs some probes */
  limit: number
}

const DO: Record<Step, (tx: PipelinedTx, after: string, options: PageOptions) => Promise<StepDone>> = {
  gateways: async (tx, after, { programId, limit }) => {
    const keys = await readKeys(tx, sql`gateway`, sql`name <> 'PaymentRecord'`, { after, limit })
    await refoldGateways(tx, keys, programId)
    return { keys, causes: new Map() }
  },
  'user-payments': async (tx, after, { programId, limit }) => {
    const keys = await readKeys(tx, sql`user_payment`, sql`name <> 'PaymentRecord'`, { after, limit })
    await refoldUserPayments(tx, keys, programId)
    return { keys, causes: new Map() }
  },
  policies: async (tx, after, { limit }) => {
    const keys = await readKeys(tx, sql`payment_policy`, sql`payment_policy is not null`, { after, limit })
    const policies = keys.filter(key => key !== DIRECT_TRANSFER_POLICY)
    const anew = (): RefoldCause => ({ payments: [], from: '', events: [], anew: true })
    return { keys, causes: new Map(policies.map(key => [key, anew()])) }
  },
  hours: async (tx, after) => {
    const [row] = await tx.$queryRaw<{ start: Date }[]>(sql`
      select date_trunc('hour', occurred_at, 'UTC') as start from events
       where occurred_at >= coalesce(nullif(${after}, '')::timestamptz + interval '1 hour', '-infinity')
       order by occurred_at limit 1`)
    if (!row) return { keys: [], causes: new Map() }
    await recountAllOf(tx, row.start)
    return { keys: [row.start.toISOString()], causes: new Map() }
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
