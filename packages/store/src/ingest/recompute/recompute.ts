// Recomputes what a batch could not append. The first page is done in the transaction of the batch; the rest becomes work.
import type { ChainEvent, SummedPayment } from '@payment-tracking/domain'
import type { PipelinedTx } from '../../core/database/sql.js'
import type { LockedHead } from '../../core/tables/head.js'
import { readPaymentsById } from './derive-payments.js'
import { FROM_START, FROM_NONE, type From } from './chain-positions.js'
import { recomputePolicies } from './policy-page.js'
import { addPolicyWork, readUnready, type Recomputed, type Unready } from './policy-work.js'
import { isLinked, readForRecompute, writeRecomputed, type RecomputeRows } from './recompute-rows.js'

/** What a policy is recomputed for. */
export interface RecomputeRequest {
  /** payments that came, or were taken back */
  payments: (SummedPayment & { sign: 1n | -1n })[]
  /** from where the details of payments can differ */
  from: From
  /** the batch's valid events of the policy */
  events: ChainEvent[]
}

export interface RecomputeScope {
  programId: string
  head: LockedHead
  /** the most payments that are derived here */
  rows: number
}

/**
 * Recomputes policies whose new events are stored and counted in the figures, but are missing in the policies' rows.
 * @param requests by the policy's address
 * @param payments ids of stored payments whose details are derived again, whether or not their policy is recomputed
 */
export async function recompute(
  tx: PipelinedTx,
  requests: ReadonlyMap<string, RecomputeRequest>,
  payments: readonly string[],
  { programId, head, rows: limit }: RecomputeScope,
): Promise<Recomputed> {
  if (requests.size + payments.length === 0) return { policies: [], notified: [], completed: [], changed: [] }
  const single = await readPaymentsById(tx, payments, programId)
  const addresses = [...new Set([...requests.keys(), ...single.map(({ event }) => event.effect.policy)])]
  const [rows, unready] = await Promise.all([
    readForRecompute(tx, addresses, programId),
    readUnready(tx, addresses),
  ])
  const ready = [...requests].filter(([address]) => !unready.has(address))
  const asked = ready.map(([address, { from: cursor, payments: moved }]) => ({
    address,
    cursor,
    payments: moved,
  }))
  const page = await recomputePolicies(tx, asked, rows, { programId, head, limit, single })
  const begunAgain = [...requests].flatMap(([address, request]) => {
    const work = unready.get(address)
    return work && concerns(work, request) ? [{ address, cursor: againFrom(address, request, rows) }] : []
  })
  const remaining = [...page.remaining, ...(page.continued ? [page.continued] : []), ...begunAgain]
  addPolicyWork(tx, remaining, { position: head.position, isNotified: true })
  const policies = writeRecomputed(tx, page.whole, ({ address }) => requests.get(address)!.events)
  return { policies, notified: policies, completed: page.completed, changed: page.changed }
}

/** Whether work that is under way has passed what changed, or would not notify of it. */
const concerns = ({ cursor, hasBegun, isNotified }: Unready, { from, payments }: RecomputeRequest): boolean =>
  from !== FROM_NONE || !isNotified || (hasBegun && payments.some(({ order }) => order <= cursor))

/**
 * From where work that is under way begins again: where the request says, or, for a policy without a valid Created event, at the
 * first payment. No payment of such a policy has details, and its next Created event gives details to all of them.
 */
const againFrom = (address: string, { from }: RecomputeRequest, { latest }: RecomputeRows): From =>
  from !== FROM_NONE && !isLinked(latest.get(address)) ? FROM_START : from
