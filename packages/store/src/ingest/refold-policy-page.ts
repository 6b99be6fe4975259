// One page of the work on a policy: its next payments are derived again and counted.
import { policyOutcome, type PolicyState } from '@payment-tracking/domain'
import type { PipelinedTx } from '../database/pipelined-transactions.js'
import { sql } from '../database/sql.js'
import { derivePayments, readNextPayments, type PolicySources } from './derive-payments.js'
import type { FoldedPolicy } from './fold.js'
import { readChangesSince } from './read-registers.js'
import { isLinked, readForRefold, sumUp, writeRefolded, type Refolded } from './refold.js'
import { REFOLD_ROWS, type Work } from './work.js'

/** What the pages of a policy have found so far, as JSON. */
interface PolicySoFar {
  /** what the policy and its user payment said of the payments */
  sources: string
  /** null while no event of the policy stands; missing where the sums are counted anew */
  sums?: SumsSoFar | null
}

interface SumsSoFar {
  incarnationStart: string | null
  paymentCount: string
  totalPaid: string
  periodStart: string | null
  periodTotal: string | null
  periodOrder: string | null
}

const toSources = ({ policy, account }: PolicySources): string =>
  JSON.stringify([policy?.tokenMint ?? null, account?.owner ?? null, account?.tokenMint ?? null])

const toSums = (state: PolicyState): SumsSoFar => ({
  incarnationStart: state.incarnationStart,
  paymentCount: state.paymentCount.toString(),
  totalPaid: state.totalPaid.toString(),
  periodStart: state.periodStart?.toString() ?? null,
  periodTotal: state.periodTotal?.toString() ?? null,
  periodOrder: state.periodOrder,
})

const bigintOf = (digits: string | null): bigint | null => (digits === null ? null : BigInt(digits))

const withSums = (state: PolicyState, sums: SumsSoFar): PolicyState => ({
  ...state,
  paymentCount: BigInt(sums.paymentCount),
  totalPaid: BigInt(sums.totalPaid),
  periodStart: bigintOf(sums.periodStart),
  periodTotal: bigintOf(sums.periodTotal),
  periodOrder: sums.periodOrder,
})

/**
 * Derives the policy's next payments, and adds them to the sums. The last page writes the row of the policy: until then
 * readers find the policy as it was. The last page also leaves work for the messages that wait for facts of these payments.
 * @param limit the most payments of the page
 * @returns the work that is left; null behind the last page
 */
export async function refoldPolicyPage(
  tx: PipelinedTx,
  work: Work,
  { programId, limit }: { programId: string; limit: number },
): Promise<{ left: Work | null; refolded: Refolded }> {
  const { address } = work
  const rows = await readForRefold(tx, [address], programId)
  const registers = rows.registers.get(address)
  const soFar = work.state as PolicySoFar | null
  const start = registers?.incarnationStart ?? null
  const sources = toSources(rows.sourcesOf(address))
  const before = rows.before.get(address)
  // A mint or an owner that became known since the work was written down concerns the payments before the cursor too, so the
  // work starts again. Before the first page, the policy's row shows what was known then: only the last page writes it.
  const isStale = soFar === null ? isLinked(before?.state) !== isLinked(registers) : soFar.sources !== sources
  const sums = isStale ? null : (soFar?.sums ?? null)
  const cursor = isStale ? '' : work.cursor
  // Another incarnation is the latest one now: its payments are counted from its beginning.
  const goesOn = sums !== null && sums.incarnationStart === start
  const after = goesOn || start === null || cursor < start ? cursor : start.slice(0, 32)
  const next = await readNextPayments(tx, [{ policy: address, after }], { limit, programId })
  const payments = next.get(address) ?? []
  const derived = await derivePayments(tx, payments, rows.sourcesOf)
  const state = registers && sumUp(goesOn ? withSums(registers, sums) : registers, payments)
  if (payments.length === limit) {
    const found: PolicySoFar = { sources, sums: state ? toSums(state) : null }
    const left = { ...work, cursor: payments.at(-1)!.event.order, state: found }
    return { left, refolded: { ...derived, policies: [] } }
  }
  if (!state) {
    tx.send(sql`delete from policies where address = ${address}`)
    return { left: null, refolded: { ...derived, policies: [] } }
  }
  const since = { position: work.sincePosition, limit: REFOLD_ROWS, programId }
  const newPayments = payments.filter(({ row }) => !row.retracted && row.position > work.sincePosition)
  const events = [
    ...(await readChangesSince(tx, address, since)),
    ...newPayments.slice(-1).map(({ event }) => event),
  ]
  const folded: FoldedPolicy = { before, after: state, outcome: policyOutcome(state), events }
  writeRefolded(tx, [folded])
  return { left: null, refolded: { ...derived, policies: [folded] } }
}
