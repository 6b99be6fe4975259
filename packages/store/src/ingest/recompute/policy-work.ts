// Work on policies: what a batch cannot do of a recompute in its own transaction, and what a rebuild recomputes.
import type { ChainEvent } from '@payment-tracking/domain'
import type { PipelinedTx, Tx } from '../../core/database/sql.js'
import type { LockedHead } from '../../core/tables/head.js'
import { addWork, policiesFor, MAX_PAGE_ROWS, type Work } from '../../core/tasks/work-table.js'
import type { WorkKind } from '../../core/tasks/under-writer-lock.js'
import type { Derived } from './derive-payments.js'
import type { From } from './chain-positions.js'
import type { FoldedPolicy } from '../../core/tables/policies.js'
import { recomputePolicies, type RemainingPolicy } from './policy-page.js'
import { readChangesSince } from './read-latest-events.js'
import { readForRecompute, writeRecomputed, type WholePolicy } from './recompute-rows.js'
import type { SoFar } from './so-far.js'

export interface Recomputed extends Derived {
  policies: FoldedPolicy[]
  /** those of `policies` of which also a completion is notified that no new event caused */
  notified: FoldedPolicy[]
}

/** The state of a row of work. */
interface PolicyWork extends SoFar {
  /** the last position when the row was written: what came later is in no state yet, and nobody was notified of it */
  since: string
  /** missing for a rebuild: what it finds completed happened long before */
  isNotified?: true
}

/** @param isNotified gateways are notified of what this makes known */
export const addPolicyWork = (
  tx: PipelinedTx,
  policies: readonly RemainingPolicy[],
  { position, isNotified }: { position: LockedHead['position']; isNotified: boolean },
): void =>
  addWork(
    tx,
    policies.map(({ address: key, cursor, soFar }) => {
      const state: PolicyWork = { since: String(position), ...(isNotified && { isNotified }), ...soFar }
      return { kind: 'policy', key, cursor, state }
    }),
  )

/** How far the work on a policy is. */
export interface Unready {
  cursor: From
  hasBegun: boolean
  isNotified: boolean
}

/** Those of some policies for which work is under way. */
export async function readUnready(tx: Tx, policies: readonly string[]): Promise<Map<string, Unready>> {
  if (policies.length === 0) return new Map()
  const rows = await tx.$queryRaw<(Unready & { key: string })[]>`
    select key, cursor, state -> 'sums' is not null as "hasBegun", state -> 'isNotified' is not null as "isNotified"
      from work where kind = 'policy' and key = any(${[...policies]}::text[])`
  return new Map(rows.map(({ key, ...unready }) => [key, unready]))
}

/**
 * Derives the next payments of the policies, and adds them to the sums. The last page of a policy writes its row, and leaves work
 * for the messages that wait for details of its payments.
 */
export const POLICY: WorkKind<{ recomputed: Recomputed }> = {
  together: policiesFor,
  page: async (tx, works, { programId, head, rows: limit }) => {
    const byKey = new Map(works.map(work => [work.key, work]))
    const stateOf = ({ address }: { address: string }) => byKey.get(address)!.state as PolicyWork
    const rows = await readForRecompute(tx, [...byKey.keys()], programId)
    const asked = works.map(({ key, cursor, state }) => ({
      address: key,
      cursor,
      soFar: state as PolicyWork,
    }))
    const page = await recomputePolicies(tx, asked, rows, { programId, head, limit })
    const sinceOf = (of: WholePolicy) => BigInt(stateOf(of).since)
    const events = await readLateEvents(tx, page.whole, { programId, sinceOf })
    const policies = writeRecomputed(tx, page.whole, ({ address }) => events.get(address)!)
    const { continued, completed, changed } = page
    const notified = policies.filter(({ after }) => stateOf(after).isNotified)
    return {
      done: page.whole.map(({ address }) => byKey.get(address)!),
      continued: continued ? continuedOf(byKey.get(continued.address)!, continued) : undefined,
      recomputed: { policies, notified, completed, changed },
    }
  },
}

const continuedOf = (work: Work, { cursor, soFar }: RemainingPolicy): Work => ({
  ...work,
  cursor,
  state: { ...(work.state as PolicyWork), ...soFar },
})

/** What happened to the policies since their work was written down: changes, and the last new payment of the page. */
async function readLateEvents(
  tx: Tx,
  whole: readonly WholePolicy[],
  { programId, sinceOf }: { programId: string; sinceOf: (of: WholePolicy) => bigint },
): Promise<Map<string, ChainEvent[]>> {
  const asked = whole.map(policy => ({ policy: policy.address, position: sinceOf(policy) }))
  const changes = await readChangesSince(tx, asked, { limit: MAX_PAGE_ROWS, programId })
  return new Map(
    whole.map(policy => {
      const { address, payments } = policy
      const fresh = payments.filter(({ row }) => !row.retracted && row.position > sinceOf(policy)).slice(-1)
      return [address, [...(changes.get(address) ?? []), ...fresh.map(({ event }) => event)]]
    }),
  )
}
