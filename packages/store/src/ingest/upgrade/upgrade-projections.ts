// Upgrades a database of an earlier release to this release's rules, while ingest continues.
//
// One call handles one page, in its own transaction under the writer lock. The transaction also stores the progress, so
// that any process can continue. The steps of a pass:
//
//   composables   events that were stored as they came get their columns, projections, `seq` and deliveries
//   policies      every policy is made anew from its events
//   hours         payment figures are counted anew
//   stream        ingest is told to read the stream again: the earlier release dropped messages that this one keeps
//
// The previous release may still run: its batches state their projection rules, and a further pass handles its writes
// since the beginning of the last pass.
import { DIRECT_TRANSFER_POLICY } from '@payment-tracking/domain'
import type { RunStatement } from '../../database/database.js'
import type { Store } from '../../database/open-store.js'
import { sql, type Tx } from '../../database/sql.js'
import type { PipelinedTx } from '../../database/pipelined-transactions.js'
import { lockHead, PROJECTION_VERSION, type LockedHead } from '../head.js'
import { fillComposables } from './fill-composables.js'
import { readFirstSequence, recountPages, restatePolicies, type PageDone } from './restate-pages.js'

export type UpgradeStep = 'composables' | 'policies' | 'hours' | 'stream'
const NEXT = { composables: 'policies', policies: 'hours', hours: 'stream' } as const
/** The most rows of a page. Ingest waits while a page is handled. */
const LIMITS = { composables: 200, policies: 200, hours: 400 }
export interface UpgradeProgress {
  /** null: the projections follow the rules of this release or of a newer release */
  step: UpgradeStep | null
  /** rows that the pass has handled */
  handled: number
}

export interface UpgradeOptions {
  /** the program for deriving addresses */
  programId: string
  /** the verified run of the server; see `lockHead` */
  server?: string | undefined
  /** how many messages of the stream may have been stored out of their stream order */
  reingestMargin?: number
  /** the size of the page, as a share of the largest: from 0 to 1 */
  pageShare?: number
}

interface Pass {
  since: bigint
  upTo: bigint
  step: UpgradeStep
  after: string
  handled: bigint
}

interface StateRow {
  version: number
  up_to: bigint | null
  finished: boolean | null
  last_of_earlier: bigint | null
}

/** Relies on ingest_batches_rules. */
const readState = (run: RunStatement): Promise<StateRow[]> =>
  run<StateRow>(sql`
    select h.projection_version as version, u.up_to_position as up_to, u.finished_at is not null as finished,
           (select last_position from ingest_batches where rules = ${PROJECTION_VERSION - 1}
             order by last_position desc limit 1) as last_of_earlier
      from stream_head h left join projection_upgrades u on u.version = ${PROJECTION_VERSION}
     where h.id = 1`)

function isOutdated({ version, up_to: upTo, finished, last_of_earlier: lastOfEarlier }: StateRow): boolean {
  // A newer release has its own upgrade, which this one must not undo.
  if (version > PROJECTION_VERSION) return false
  if (version < PROJECTION_VERSION || upTo === null || !finished) return true
  return lastOfEarlier !== null && lastOfEarlier > upTo
}

/** Whether rows of an earlier release still wait for the upgrade. */
export async function areProjectionsOutdated({ database }: Store): Promise<boolean> {
  const [row] = await readState(database.read)
  return row !== undefined && isOutdated(row)
}

/**
 * Handles the next page of an upgrade.
 * @returns the progress of the pass; null when nothing is left, or another process works on the upgrade
 * @throws StoreUnavailableError, StoreTimeoutError: the page was rolled back and comes again
 */
export async function upgradeProjections(
  store: Store,
  options: UpgradeOptions,
): Promise<UpgradeProgress | null> {
  if (!(await areProjectionsOutdated(store))) return null
  return store.database.pipelinedTransaction(async tx => {
    // Taken before the writer lock: a process that waits for the other process must not delay ingest.
    const [turn] = await tx.$queryRaw<{ mine: boolean }[]>`
      select pg_try_advisory_xact_lock(hashtext('projection_upgrades')) as mine`
    if (!turn!.mine) return null
    const head = await lockHead(tx, options.server)
    const [state] = await readState(statement => tx.$queryRaw(statement))
    if (!state || !isOutdated(state)) return null
    const pass = (await readPass(tx)) ?? (await beginPass(tx, head, state.up_to ?? 0n))
    return pass === null ? finish(tx, head, 0n) : doPage(tx, pass, head, options)
  })
}

/** The unfinished pass. */
async function readPass(tx: Tx): Promise<Pass | null> {
  const [pass] = await tx.$queryRaw<Pass[]>`
    select since_position as since, up_to_position as "upTo", step, after, handled from projection_upgrades
     where version = ${PROJECTION_VERSION} and finished_at is null`
  return pass ?? null
}

/** @returns null when an earlier release wrote no event of the range */
async function beginPass(tx: PipelinedTx, head: LockedHead, since: bigint): Promise<Pass | null> {
  const upTo = head.position
  if (!(await hasEarlierEvents(tx, since, upTo))) return null
  tx.send(sql`
    insert into projection_upgrades (version, since_position, up_to_position, step)
    values (${PROJECTION_VERSION}, ${since}, ${upTo}, 'composables')
    on conflict (version) do update set
      since_position = excluded.since_position, up_to_position = excluded.up_to_position, step = excluded.step,
      after = '', handled = 0, started_at = clock_timestamp(), finished_at = null`)
  // An earlier release treated direct transfers as payments of one policy.
  tx.send(sql`delete from policies where address = ${DIRECT_TRANSFER_POLICY}`)
  return { since, upTo, step: 'composables', after: '', handled: 0n }
}

/**
 * The first event of a database that an earlier release started belongs to that release. Relies on events_position_key.
 */
async function hasEarlierEvents(tx: Tx, since: bigint, upTo: bigint): Promise<boolean> {
  const rows =
    since === 0n
      ? await tx.$queryRaw<{ earlier: boolean }[]>`
          select commitment is null or of_earlier_release is true as earlier from events order by position limit 1`
      : await tx.$queryRaw<{ earlier: boolean }[]>`
          select true as earlier from events
           where position > ${since} and position <= ${upTo} and (commitment is null or of_earlier_release) limit 1`
  return rows[0]?.earlier ?? false
}

async function doPage(
  tx: PipelinedTx,
  pass: Pass,
  head: LockedHead,
  { programId, reingestMargin = 0, pageShare = 1 }: UpgradeOptions,
): Promise<UpgradeProgress> {
  const { since, upTo, step, after } = pass
  if (step === 'stream') {
    const first = await readFirstSequence(tx, { since, upTo })
    const from = first > reingestMargin ? first - BigInt(reingestMargin) : 1n
    tx.send(sql`update stream_head set reingest_from = least(reingest_from, ${from}) where id = 1`)
    return finish(tx, { ...head, position: upTo }, pass.handled)
  }
  const page = { after, since, upTo, limit: Math.max(1, Math.round(LIMITS[step] * pageShare)) }
  const scope = { upTo: head.position, programId }
  let done: PageDone
  if (step === 'composables') done = await fillComposables(tx, page, { head, programId })
  else if (step === 'policies') done = await restatePolicies(tx, page, scope)
  else done = await recountPages(tx, page, scope)
  const handled = pass.handled + BigInt(done.count)
  const next = done.last === null ? NEXT[step] : step
  tx.send(sql`
    update projection_upgrades set step = ${next}, after = ${done.last ?? ''}, handled = ${handled}
     where version = ${PROJECTION_VERSION}`)
  return { step: next, handled: Number(handled) }
}

/** Records that the projections up to a position follow this release's rules. */
function finish(tx: PipelinedTx, { position }: LockedHead, handled: bigint): UpgradeProgress {
  tx.send(sql`
    insert into projection_upgrades (version, up_to_position, step, finished_at)
    values (${PROJECTION_VERSION}, ${position}, 'stream', clock_timestamp())
    on conflict (version) do update set
      up_to_position = excluded.up_to_position, step = excluded.step, finished_at = excluded.finished_at`)
  tx.send(sql`update stream_head set projection_version = ${PROJECTION_VERSION} where id = 1`)
  return { step: null, handled: Number(handled) }
}
