// Refold: everything that cannot be appended. An event that came late, moved, was retracted or stands again; an
// incarnation that begins earlier; an owner or mint that another event supplies. A policy is folded again from its latest
// events. Sums move by their difference, or are counted from the beginning of the incarnation. The facts of payments are
// derived again from the place at which they can differ. What needs more payments than a transaction may derive becomes work.
import {
  applyPayment,
  emptyPolicy,
  isOfIncarnation,
  policyOutcome,
  withDifference,
  type ChainEvent,
  type ChainOrder,
  type PolicyState,
  type SummedPayment,
  type UserPaymentState,
} from '@payment-tracking/domain'
import { sql, type Tx } from '../database/sql.js'
import type { PipelinedTx } from '../database/pipelined-transactions.js'
import {
  derivePayments,
  readNextPayments,
  readPaymentsById,
  type Derived,
  type PolicySources,
  type StoredPayment,
} from './derive-payments.js'
import type { FoldedPolicy } from './fold.js'
import { readPolicies, writePolicies, type KnownPolicy } from './policies.js'
import { readRegisters } from './read-registers.js'
import { readUserPayments } from '../rows/user-payments.js'
import { addWork, readUnready, type Unready } from './work.js'

/** Why a policy is folded again. */
export interface RefoldCause {
  /** payments that came, or were taken back */
  payments: (SummedPayment & { sign: 1n | -1n })[]
  /** the facts of payments can differ from this order on; '' is the beginning, null is nowhere */
  from: ChainOrder | null
  /** the batch's standing events of the policy */
  events: ChainEvent[]
  /** a rebuild: nothing is taken from the policy's row */
  anew?: boolean
}

export interface RefoldScope {
  programId: string
  /** the last position before the cause */
  sincePosition: bigint
  /** the most payments that are derived here */
  rows: number
}

export interface Refolded extends Derived {
  policies: FoldedPolicy[]
}

/**
 * Folds policies again. Their new events are stored, and counted in the figures, but not in the policies' rows.
 * @param causes by the policy's address
 * @param payments stored payments whose facts are derived whatever else happens
 */
export async function refold(
  tx: PipelinedTx,
  causes: ReadonlyMap<string, RefoldCause>,
  payments: readonly string[],
  scope: RefoldScope,
): Promise<Refolded> {
  if (causes.size + payments.length === 0) return { policies: [], completed: [], changed: [] }
  const single = await readPaymentsById(tx, payments, scope.programId)
  const addresses = [...new Set([...causes.keys(), ...single.map(({ event }) => event.effect.policy)])]
  const rows = await readForRefold(tx, addresses, scope.programId)
  const ready = [...causes].filter(([address]) => !rows.unready.has(address))
  const plans = ready.map(([address, cause]) => planOf(address, cause, rows))
  const next = await readPayments(tx, plans, scope)
  const [done, left] = [plans.filter(next.isRead), plans.filter(plan => !next.isRead(plan))]
  const concerned = new Map([...single, ...done.flatMap(next.of)].map(payment => [payment.row.id, payment]))
  const derived = await derivePayments(tx, [...concerned.values()], rows.sourcesOf)
  const folded = done.map(plan => refoldPolicy(plan, next.of(plan)))
  const passed = [...causes].filter(([address, cause]) => {
    const unready = rows.unready.get(address)
    return unready !== undefined && concerns(unready, cause)
  })
  addWork(
    tx,
    [
      ...left,
      ...passed.map(([address, { from }]) => ({ address, from: againFrom(address, from, rows) })),
    ].map(({ address, from }) => ({
      kind: 'policy' as const,
      address,
      cursor: from ?? FAR,
      sincePosition: scope.sincePosition,
    })),
  )
  writeRefolded(tx, folded)
  return { ...derived, policies: folded }
}

/** Behind every order: work begins at the incarnation of the policy. */
const FAR = `7${'f'.repeat(63)}`

/** Whether work that is under way has passed what changed. */
const concerns = ({ cursor, hasBegun }: Unready, { from, payments }: RefoldCause): boolean =>
  from !== null || (hasBegun && payments.some(({ order }) => order <= cursor))

/**
 * From where work that is under way begins again. While no Created event stands, payments get no facts, wherever they are:
 * the next Created event concerns them all, and may name the same user payment as the one before.
 */
const againFrom = (address: string, from: ChainOrder | null, { registers }: RefoldRows): ChainOrder | null =>
  from !== null && !isLinked(registers.get(address)) ? '' : from

/** Everything that folding some policies again reads, whatever the causes. */
export interface RefoldRows {
  before: ReadonlyMap<string, KnownPolicy>
  /** without sums; missing where no event of the policy stands */
  registers: ReadonlyMap<string, PolicyState>
  accounts: ReadonlyMap<string, UserPaymentState>
  unready: ReadonlyMap<string, Unready>
  sourcesOf: (policy: string) => PolicySources
}

export async function readForRefold(
  tx: Tx,
  policies: readonly string[],
  programId: string,
): Promise<RefoldRows> {
  const [known, registers, unready] = await Promise.all([
    readPolicies(tx, policies),
    readRegisters(tx, policies, programId),
    readUnready(tx, policies),
  ])
  const linked = [...registers.values()].flatMap(({ userPayment }) => userPayment ?? [])
  const accounts = new Map(
    (await readUserPayments(tx, [...new Set(linked)])).map(account => [account.address, account]),
  )
  const sourcesOf = (address: string): PolicySources => {
    const policy = registers.get(address) ?? null
    return { policy, account: policy?.userPayment ? (accounts.get(policy.userPayment) ?? null) : null }
  }
  return {
    before: new Map(known.map(policy => [policy.state.address, policy])),
    registers,
    accounts,
    unready,
    sourcesOf,
  }
}

/** What folding a policy again takes. */
interface Plan {
  address: string
  cause: RefoldCause
  before: KnownPolicy | undefined
  /** the policy after the cause, but for sums that must be counted; null where no event stands */
  after: PolicyState | null
  /** the sums are counted from the beginning of the incarnation */
  counts: boolean
  /** payments behind this are derived again, and counted; null when none are */
  from: ChainOrder | null
}

function planOf(address: string, cause: RefoldCause, rows: RefoldRows): Plan {
  const before = rows.before.get(address)
  const registers = rows.registers.get(address)
  const differed = registers && before ? sumByDifference(before.state, registers, cause) : null
  const start = differed === null ? (registers?.incarnationStart ?? null) : null
  const from =
    isLinked(before?.state) === isLinked(registers)
      ? earlier(cause.from, start === null ? null : placeOf(start))
      : ''
  const after = differed ?? registers ?? null
  return { address, cause, before, after, from, counts: after !== null && differed === null }
}

interface NextPayments {
  of: (plan: Plan) => StoredPayment[]
  /** false where more payments are concerned than one transaction derives */
  isRead: (plan: Plan) => boolean
}

/** One statement for all policies. */
async function readPayments(
  tx: Tx,
  plans: readonly Plan[],
  { programId, rows }: RefoldScope,
): Promise<NextPayments> {
  const from = plans.flatMap(({ address: policy, from: after }) =>
    after === null ? [] : [{ policy, after }],
  )
  const next = await readNextPayments(tx, from, { limit: rows + 1, programId })
  const counts = [...next.values()].map(payments => payments.length)
  const isCut = counts.reduce((sum, count) => sum + count, 0) > rows
  const last = from.findLastIndex(({ policy }) => next.has(policy))
  const unread = new Set(isCut ? from.slice(last).map(({ policy }) => policy) : [])
  return { of: ({ address }) => next.get(address) ?? [], isRead: ({ address }) => !unread.has(address) }
}

function refoldPolicy(
  { address, cause, before, after, counts }: Plan,
  payments: readonly StoredPayment[],
): FoldedPolicy {
  const state = after === null ? emptyPolicy(address) : counts ? sumUp(after, payments) : after
  return { before, after: state, outcome: policyOutcome(state), events: cause.events }
}

/** The first Created event of a policy names the user payment of all its payments, and the last one takes it away. */
export const isLinked = (state: PolicyState | undefined): boolean => (state?.userPayment ?? null) !== null

const placeOf = (order: ChainOrder): ChainOrder => order.slice(0, 32)

const earlier = (a: ChainOrder | null, b: ChainOrder | null): ChainOrder | null =>
  a === null || b === null ? (a ?? b) : a < b ? a : b

/** @returns null when the sums must be counted from the beginning of the incarnation */
function sumByDifference(
  before: PolicyState,
  registers: PolicyState,
  { payments, anew }: RefoldCause,
): PolicyState | null {
  if (anew || registers.incarnationStart === null || before.incarnationStart !== registers.incarnationStart)
    return null
  const { paymentCount, totalPaid, periodStart, periodTotal, periodOrder } = before
  return withDifference(
    { ...registers, paymentCount, totalPaid, periodStart, periodTotal, periodOrder },
    payments,
  )
}

/** Adds standing payments to a state in chain order. */
export const sumUp = (state: PolicyState, payments: readonly StoredPayment[]): PolicyState =>
  payments
    .filter(({ event, row }) => !row.retracted && isOfIncarnation(state.incarnationStart, event.order))
    .reduce((sum, { event: { order, effect } }) => applyPayment(sum, { order, ...effect }), state)

/**
 * Writes policies after a refold. A policy of which no event stands has no row.
 *
 * policy_notices names an incarnation by the order of its Created event. When that event gets another place, the notices
 * get the new order, so that no date is told again. An order ends with the id of its event.
 */
export function writeRefolded(tx: PipelinedTx, folded: readonly FoldedPolicy[]): void {
  if (folded.length === 0) return
  const [gone, standing] = [folded.filter(isGone), folded.filter(policy => !isGone(policy))]
  if (gone.length > 0)
    tx.send(sql`
      delete from policies where address = any(${gone.map(({ after }) => after.address)}::text[])`)
  writePolicies(
    tx,
    standing.map(({ after, outcome }) => ({ state: after, outcome })),
  )
  tx.send(sql`
    update policy_notices n set incarnation_start = p.incarnation_start
      from policies p
     where p.address = any(${standing.map(({ after }) => after.address)}::text[]) and n.policy = p.address
       and n.incarnation_start <> p.incarnation_start and right(n.incarnation_start, 32) = right(p.incarnation_start, 32)`)
}

const isGone = ({ after }: FoldedPolicy): boolean =>
  (after.incarnationStart ?? after.deletedOrder ?? after.statusOrder ?? after.lastPaymentOrder) === null
