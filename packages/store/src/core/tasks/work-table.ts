// The table of work: what follows for many rows from one message or request is written down as a row, in the transaction of its
// cause, and done afterwards in pages.
import {
  bigints,
  inline,
  raw,
  sql,
  type PipelinedTx,
  type Sql,
  type Store,
  type Tx,
} from '../database/sql.js'
import { isNotQuarantined } from '../quarantine/isolate.js'

/** The most rows that a page of a task handles. */
export const MAX_PAGE_ROWS = 500

/** How many policies, or other addresses, cost as much as some payments: each costs some probes. */
export const policiesFor = (rows: number): number => Math.max(1, Math.floor(rows / 10))

/** How many waiting messages of one kind cost as much as some payments. */
export const messagesFor = (rows: number): number => Math.max(1, Math.floor(rows / 5))

/** A row of work. */
export interface Work {
  /** what is done; each kind has a file */
  kind: string
  /** to what it is done */
  key: string
  /** for which gateway, where gateways take turns; '' is none */
  gateway: string
  /** where the next page begins; '' is the beginning */
  cursor: string
  /** what the cause said, and what the pages before found */
  state: unknown
  /** how many pages timed out, one after the other, up to now */
  timeouts: number
  addedAt: Date
  /** changes with each page, and with each change of rows that a page may have read before it took the writer lock */
  version: bigint
}

export type NewWork = Pick<Work, 'kind' | 'key'> & Partial<Pick<Work, 'cursor' | 'state'>>

/** Puts work behind all other work. A page that has read for it already starts again. */
export const REQUEUE = sql`version = nextval('work_version_seq'), next_at = clock_timestamp()`

/**
 * Writes work down. Work that is under way for the same key begins again where the earlier of both begins, and forgets the
 * `sums` of its pages. SQL: compares with what is stored.
 */
export function addWork(tx: PipelinedTx, works: readonly NewWork[]): void {
  if (works.length === 0) return
  tx.send(sql`
    insert into work as r (kind, key, cursor, state)
    select * from unnest(${works.map(({ kind }) => kind)}::text[], ${works.map(({ key }) => key)}::text[],
                         ${works.map(({ cursor }) => cursor ?? '')}::text[],
                         ${works.map(({ state }) => (state == null ? null : JSON.stringify(state)))}::jsonb[])
    on conflict (kind, key) do update set
      cursor = least(r.cursor, excluded.cursor),
      state = excluded.state || (r.state - 'sums')`)
}

/** Writes down work of one kind that begins at the beginning. */
export const addKeys = (tx: PipelinedTx, kind: string, keys: readonly string[]): void =>
  addWork(
    tx,
    keys.map(key => ({ kind, key })),
  )

/** Names work that is quarantined. */
export const nameOf = ({ kind, key }: Pick<Work, 'kind' | 'key'>): string => `${kind} ${key}`

const IS_NOT_QUARANTINED = isNotQuarantined('task', sql`w.kind || ' ' || w.key`)
const WORK_COLUMNS = sql`
  w.kind, w.key, w.gateway, w.cursor, w.state, w.timeouts, w.since as "addedAt", w.version`
/** The condition of the index work_order. */
const HAS_NOT_ENDED = sql`w.next_at < 'infinity'`
const IS_DUE = sql`${HAS_NOT_ENDED} and w.next_at <= clock_timestamp() and ${IS_NOT_QUARANTINED}`

/** A kind whose next work is asked for. */
export interface AskedKind {
  kind: string
  /** the most rows of work that a page takes */
  together: number
  /** it waits for all other work */
  isLast: boolean
  /** the number of its last page */
  lastPage: number
  /** the gateway of its last page */
  lastGateway: string
}

/**
 * The next work that is not quarantined: rows of one kind and one gateway. Kinds take turns, in each kind gateways do, and the work of
 * a gateway: so whatever waits of one, another waits for a page of each. Relies on work_order, some probes a kind.
 */
export function readNextWorks({ database }: Store, kinds: readonly AskedKind[]): Promise<readonly Work[]> {
  const oldest = (which: Sql, lap: number): Sql => sql`(
    select w.gateway, w.next_at, ${inline(lap)} as lap from work w where w.kind = k.kind and ${which} and ${IS_DUE}
     order by w.gateway, w.next_at limit 1)`
  return database.read<Work>(sql`
    with next as (
      select k.kind, k.together, w.gateway
        from unnest(${kinds.map(({ kind }) => kind)}::text[], ${kinds.map(({ together }) => together)}::int[],
                    ${kinds.map(({ isLast }) => isLast)}::boolean[], ${kinds.map(({ lastPage }) => lastPage)}::int[],
                    ${kinds.map(({ lastGateway }) => lastGateway)}::text[])
             as k (kind, together, is_last, last_page, last_gateway)
       cross join lateral (
         select * from (${oldest(sql`w.gateway > k.last_gateway`, 1)} union all ${oldest(sql`w.gateway <= k.last_gateway`, 2)}) w
          order by w.lap limit 1) w
       order by k.is_last, k.last_page, w.next_at limit 1
    )
    select ${WORK_COLUMNS} from next n
     cross join lateral (
       select * from work w where w.kind = n.kind and w.gateway = n.gateway and ${IS_DUE}
        order by w.next_at limit n.together) w`)
}

/** The work of one key that is due. */
export const readOwnWork = (
  { database }: Store,
  kinds: readonly string[],
  key: string,
): Promise<readonly Work[]> =>
  database.read(sql`
    select ${WORK_COLUMNS} from work w
     where w.kind = any(${[...kinds]}::text[]) and w.key = ${key} and ${IS_DUE} limit 1`)

/** After this time, work of a process that died is taken again. */
const TAKEN_SECONDS = raw('30')

/** Takes the lease of a row of work. SQL: the database's clock. @returns null when another process was faster */
export async function takeWork({ database }: Store, work: Work): Promise<Work | null> {
  const [taken] = await database.write<Pick<Work, 'version'>>(sql`
    update work w set version = nextval('work_version_seq'),
           next_at = clock_timestamp() + make_interval(secs => ${TAKEN_SECONDS})
     where w.kind = ${work.kind} and w.key = ${work.key} and w.version = ${work.version}
       and w.next_at <= clock_timestamp() returning w.version`)
  return taken ? { ...work, ...taken } : null
}

/** Puts work whose page timed out behind all other work. SQL: a sequence, and the database's clock. */
export async function noteTimeouts({ database }: Store, { kind, key }: Work, count: number): Promise<void> {
  await database.execute(sql`
    update work set timeouts = ${count}::smallint, ${REQUEUE} where kind = ${kind} and key = ${key}`)
}

/** Some work as it is now, in the same order. Whoever changes it holds the writer lock. */
export async function readWorksAgain(tx: Tx, works: readonly Work[]): Promise<Work[]> {
  const rows = await tx.$queryRaw<Work[]>(sql`
    select ${WORK_COLUMNS} from work w
     where w.kind = ${works[0]!.kind} and w.key = any(${works.map(({ key }) => key)}::text[]) and ${IS_NOT_QUARANTINED}`)
  const byKey = new Map(rows.map(work => [work.key, work]))
  return works.flatMap(({ key }) => byKey.get(key) ?? [])
}

/** What a page of some work of one kind leaves. */
export interface WorkPage {
  /** nothing of it remains */
  done: readonly Work[]
  /** work that continues; all other work stays as it is */
  continued?: Work | undefined
  /** what the page counts for in `handled`; default: one */
  handled?: number | undefined
  /** how long the next page waits; Infinity: the work has ended, and its row is kept for readers */
  delaySeconds?: number | undefined
}

/** @param cursor where the next page of the work begins; undefined or null: nothing of it remains */
export const continueAt = (work: Work, cursor: string | null | undefined): WorkPage =>
  cursor == null ? { done: [work] } : { done: [], continued: { ...work, cursor } }

/**
 * The statements that write what a page leaves. Takes turns: work that continues comes after all other work. Work that was begun anew
 * meanwhile keeps its beginning: it has another version then. SQL: adds to what is stored.
 */
export function writeWorkPage({ done, continued, handled = 1, delaySeconds = 0 }: WorkPage): Sql[] {
  const statements: Sql[] = []
  if (done.length > 0)
    statements.push(sql`
      delete from work where kind = ${done[0]!.kind} and key = any(${done.map(({ key }) => key)}::text[])
         and version = any(${bigints(done.map(({ version }) => version))})`)
  if (continued) {
    const { kind, key, version, cursor, state } = continued
    const later = sql`clock_timestamp() + make_interval(secs => ${delaySeconds}::float8)`
    const nextAt = delaySeconds === Infinity ? sql`'infinity'` : later
    statements.push(sql`
      update work set cursor = ${cursor}, state = ${state === null ? null : JSON.stringify(state)}::jsonb,
             handled = handled + ${handled}, timeouts = 0, version = nextval('work_version_seq'), next_at = ${nextAt}
       where kind = ${kind} and key = ${key} and version = ${version}`)
  }
  return statements
}

/** The most work that is counted: one message each can leave any number. */
const MOST_COUNTED = raw('10000')

/** How much work of some kinds waits, at most 10,000, and the age of the oldest of it in seconds; 0 without work. */
export async function countWork(
  { database }: Store,
  kinds: readonly string[],
): Promise<{ count: number; oldestSeconds: number }> {
  const [row] = await database.read<{ count: number; seconds: number }>(sql`
    select count(*)::integer as count,
           coalesce(extract(epoch from clock_timestamp() - min(since)), 0)::float8 as seconds
      from (select w.since from ${eachOf(kinds)} limit ${MOST_COUNTED}) w`)
  return { count: row!.count, oldestSeconds: Math.max(0, row!.seconds) }
}

/** The work `w` of some kinds that has not ended, at most 10,000 of each. Relies on work_order. */
export const eachOf = (kinds: readonly string[]): Sql => sql`
  unnest(${[...kinds]}::text[]) as k (kind)
  cross join lateral (
    select * from work w where w.kind = k.kind and ${HAS_NOT_ENDED}
     order by w.gateway, w.next_at limit ${MOST_COUNTED}) w`
