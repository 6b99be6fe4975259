import { lastTryMs, nextTryMs, type RetryRules, type TriedDelivery } from '@payment-tracking/domain'
import { bigints, inline, sql, type Sql, type Store } from '../../core/database/sql.js'
import { IS_ACTIVE, IS_OPEN, IS_RECOVERABLE } from '../../core/tables/delivery-rows.js'

/** What waits for an endpoint. */
export interface Waits {
  /** deliveries that are or will be tried, at most `MOST_WAITING`: that many mean at least so many */
  waiting: number
  /** null where nothing waits */
  nextTryAt: Date | null
  lastTryAt: Date | null
}

/** Counting all of a million would take a second. */
const MOST_WAITING = 1_000

interface Group extends Omit<TriedDelivery, 'atMs'> {
  id: bigint
  count: number
  firstMs: number
  lastMs: number
  recovers: boolean
  isFailing: boolean
}

/**
 * What waits for some webhooks: what is open, and what failed and has cycles left. Equal deliveries are read as a group: the
 * first of it is tried next, the last of it last. Looks at the oldest `MOST_WAITING` of each kind and the newest one.
 * Relies on deliveries_open_webhook and deliveries_failed_webhook.
 */
export async function readWaits(
  { database }: Store,
  ids: readonly bigint[],
  rules: RetryRules,
): Promise<ReadonlyMap<bigint, Waits>> {
  const most = inline(MOST_WAITING)
  const edges = (which: Sql, at: Sql, order: Sql): Sql => sql`
    ((select d.id, d.attempts_made, d.tries_allowed, ${at} as at from deliveries d
       where d.webhook_id = w.id and ${which} order by ${order} limit ${most})
      union
     (select d.id, d.attempts_made, d.tries_allowed, ${at} as at from deliveries d
       where d.webhook_id = w.id and ${which} order by ${order} desc limit 1))`
  const groups = await database.read<Group>(sql`
    select w.id, t.is, t.attempts_made::int as attempts, t.tries_allowed::int as "triesAllowed", count(*)::int as count,
           extract(epoch from min(t.at))::float8 * 1000 as "firstMs", extract(epoch from max(t.at))::float8 * 1000 as "lastMs",
           w.recover as recovers, w.failing_since is not null as "isFailing"
      from webhooks w
     cross join lateral (
       select 'open' as is, d.*
         from ${edges(sql`d.activation = w.activation and ${IS_OPEN}`, sql`d.due_at`, sql`d.id`)} d
        union all
       select 'failed' as is, d.*
         from ${edges(sql`w.recover and ${IS_RECOVERABLE}`, sql`d.finished_at`, sql`d.finished_at`)} d) t
     where w.id = any(${bigints(ids)}) and ${IS_ACTIVE}
     group by w.id, t.is, t.attempts_made, t.tries_allowed`)
  return new Map(
    ids.map(id => [
      id,
      waitsOf(
        groups.filter(group => group.id === id),
        rules,
      ),
    ]),
  )
}

function waitsOf(groups: readonly Group[], rules: RetryRules): Waits {
  if (groups.length === 0) return { waiting: 0, nextTryAt: null, lastTryAt: null }
  const { backoffMs } = rules
  const next = groups.map(({ isFailing, ...of }) =>
    nextTryMs({ ...of, atMs: of.firstMs }, { isFailing, backoffMs }),
  )
  const last = groups.map(({ recovers, ...of }) => lastTryMs({ ...of, atMs: of.lastMs }, rules, recovers))
  const nextMs = Math.min(...next)
  return {
    waiting: Math.min(
      MOST_WAITING,
      groups.reduce((sum, { count }) => sum + count, 0),
    ),
    nextTryAt: new Date(nextMs),
    lastTryAt: new Date(Math.max(nextMs, ...last)),
  }
}
