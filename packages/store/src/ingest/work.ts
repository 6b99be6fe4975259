// What follows for many rows from one message is written down as a row of work in the message's transaction, and done
// afterwards in pages (refold-pages.ts).
import type { Store } from '../database/open-store.js'
import { bigints, raw, sql, type Tx } from '../database/sql.js'
import { isNotSetAside } from '../set-aside/isolate.js'
import type { PipelinedTx } from '../database/pipelined-transactions.js'

/** The most payments that one transaction derives anew, of one address and of all together. */
export const REFOLD_ROWS = 500

/** How many policies cost as much as some payments: each costs some probes, whether it has payments or not. */
export const policiesFor = (rows: number): number => Math.max(1, Math.floor(rows / 10))

/** How many waiting messages of one kind cost as much as some payments. */
export const messagesFor = (rows: number): number => Math.max(1, Math.floor(rows / 5))

/**
 * - `policy`: fold the policy again, and derive the facts of its payments
 * - `user-payment`: fold its policies again, whose payments lack its owner and mint
 * - `hour`: find the extremes that an hour of a gateway lost; `address` is its start and the gateway
 * - `watermark`: decide about messages that waited for slots that are final now
 * - `facts`: decide about messages of a policy that waited for a recipient or a token
 * - `all`: a new version of the rules, or a rebuild; `address` names the step
 */
export type WorkKind = 'policy' | 'user-payment' | 'hour' | 'watermark' | 'facts' | 'all'

export interface Work {
  kind: WorkKind
  address: string
  /** where the next page begins; '' is the beginning */
  cursor: string
  /** what the pages before found; null at the beginning */
  state: unknown
  /** the last position before the cause */
  sincePosition: bigint
}

/**
 * Writes work down. Work that is under way for the same address begins again; that on a policy still knows what its pages
 * took from elsewhere.
 */
export function addWork(
  tx: PipelinedTx,
  works: readonly (Pick<Work, 'kind' | 'address'> & Partial<Work>)[],
): void {
  if (works.length === 0) return
  tx.send(sql`
    insert into refolds as r (kind, address, cursor, since_position)
    select * from unnest(${works.map(({ kind }) => kind)}::text[], ${works.map(({ address }) => address)}::text[],
                         ${works.map(({ cursor }) => cursor ?? '')}::text[],
                         ${bigints(works.map(({ sincePosition }) => sincePosition ?? 0n))})
    on conflict (kind, address) do update set
      cursor = least(r.cursor, excluded.cursor),
      state = case when r.kind = 'policy' and r.state is not null
                   then json_build_object('sources', r.state -> 'sources') end,
      since_position = least(r.since_position, excluded.since_position)`)
}

/** Writes work down for those of some policies of which messages wait for facts. */
export function addFactsWork(tx: PipelinedTx, policies: readonly string[]): void {
  if (policies.length === 0) return
  tx.send(sql`
    insert into refolds (kind, address)
    select 'facts', p.address from unnest(${[...new Set(policies)]}::text[]) as p (address)
     where exists (select from waiting_messages a where a.policy = p.address and a.waits_for = 'facts')
    on conflict (kind, address) do update set cursor = '', state = null`)
}

/** How far the work on a policy is. */
export interface Unready {
  cursor: string
  hasBegun: boolean
}

/** Those of some policies for which work is under way. */
export async function readUnready(tx: Tx, policies: readonly string[]): Promise<Map<string, Unready>> {
  if (policies.length === 0) return new Map()
  const rows = await tx.$queryRaw<(Unready & { address: string })[]>`
    select address, cursor, state -> 'sums' is not null as "hasBegun" from refolds
     where kind = 'policy' and address = any(${[...policies]}::text[])`
  return new Map(rows.map(({ address, ...unready }) => [address, unready]))
}

/** Work whose turn it is. */
export interface NextWork extends Work {
  /** another number after each page, and after whatever makes void what was read for a page */
  turn: bigint
}

/** Names work that is set aside. */
export const keyOfWork = ({ kind, address }: Pick<Work, 'kind' | 'address'>): string => `${kind} ${address}`

const IS_NOT_SET_ASIDE = isNotSetAside('refold', sql`kind || ' ' || address`)
const WORK = sql`select kind, address, cursor, state, since_position as "sincePosition", turn from refolds`

/** The oldest work that is not set aside. Hours are counted last: other work gives them another turn with each page. */
export async function readNextWork({ database }: Store): Promise<NextWork | null> {
  const [work] = await database.read<NextWork>(sql`
    ${WORK} where ${IS_NOT_SET_ASIDE} order by kind = 'hour', turn limit 1`)
  return work ?? null
}

/** The work as it is now. Whoever changes it holds the writer lock. */
export async function readWorkAgain(tx: Tx, { kind, address }: Work): Promise<NextWork | null> {
  const [work] = await tx.$queryRaw<NextWork[]>(sql`
    ${WORK} where kind = ${kind} and address = ${address} and ${IS_NOT_SET_ASIDE}`)
  return work ?? null
}

/** Takes turns: work that goes on stands behind all other work. @param left what is left; null when nothing is */
export function writeProgress(tx: PipelinedTx, { kind, address }: Work, left: Work | null): void {
  if (left === null) tx.send(sql`delete from refolds where kind = ${kind} and address = ${address}`)
  else
    tx.send(sql`
      update refolds set cursor = ${left.cursor}, state = ${JSON.stringify(left.state)}::json, handled = handled + 1,
             turn = nextval('refolds_turn_seq')
       where kind = ${kind} and address = ${address}`)
}

/** The most work that is counted: one message each can leave any number behind. */
const MOST_COUNTED = raw('10000')

/** How much work waits, at most 10,000, and the age of the oldest of it in seconds; 0 without work. Relies on refolds_turn. */
export async function readWork({ database }: Store): Promise<{ count: number; oldestSeconds: number }> {
  const [row] = await database.read<{ count: number; seconds: number }>(sql`
    select count(*)::integer as count,
           coalesce(extract(epoch from clock_timestamp() - min(since)), 0)::float8 as seconds
      from (select since from refolds order by kind = 'hour', turn limit ${MOST_COUNTED}) w`)
  return { count: row!.count, oldestSeconds: Math.max(0, row!.seconds) }
}
