// Expected payments: which payments count, and whether the notices follow the changes one by one. States and notices are the domain's.
import { createHash } from 'node:crypto'
import { isLate, NOTICES, stateOf, type ExpectationState } from '@payment-tracking/domain'
import type { Model, ModelPayment } from './model.js'

/** Over which payments a state is: all that are valid, or the final ones alone. */
export type Over = 'all' | 'final'

/** What a gateway asked for. */
interface ExpectedTerms {
  trackingId: string
  recipient: string
  tokenMint: string
  amount: bigint
  expiresAt: Date | null
  cancelled: boolean
}

export interface ModelSum {
  state: ExpectationState
  paidAmount: bigint
  inTimeAmount: bigint
  late: boolean
  /** what counts */
  payments: readonly ModelPayment[]
}

const sum = (payments: readonly ModelPayment[]): bigint =>
  payments.reduce((total, { amount }) => total + amount, 0n)

const isMet = (state: ExpectationState): boolean => state === 'paid' || state === 'overpaid'

/** What must be known of an expectation at a moment, whatever the order in which things came. */
export function expectationOf(terms: ExpectedTerms, model: Model, now: Date): Record<Over, ModelSum> {
  const { trackingId, recipient, tokenMint, amount, expiresAt, cancelled } = terms
  const counting = model.payments.filter(
    payment =>
      !cancelled &&
      !payment.event.retracted &&
      payment.trackingId === trackingId &&
      payment.recipient === recipient &&
      payment.tokenMint === tokenMint,
  )
  const isInTime = ({ event: { at } }: ModelPayment) => expiresAt === null || at <= expiresAt.getTime()
  const over = (payments: readonly ModelPayment[]): ModelSum => {
    const [paidAmount, inTimeAmount] = [sum(payments), sum(payments.filter(isInTime))]
    const expected = { amount, expiresAt, cancelledAt: cancelled ? now : null }
    const sums = { paidAmount, inTimeAmount, paymentCount: BigInt(payments.length) }
    const state = stateOf(expected, sums, now)
    return { state, paidAmount, inTimeAmount, late: isLate(state, expected, sums), payments }
  }
  return { all: over(counting), final: over(counting.filter(({ event }) => event.isFinal)) }
}

/** What an expectation was at a moment. */
export interface ExpectedMoment {
  state: ExpectationState
  paidAmount: bigint
}

/** The types of the notices of a change: of the state, or of the sum alone. */
export const noticesOf = (before: ExpectedMoment, after: ExpectedMoment): readonly string[] =>
  before.state === after.state && after.paidAmount <= before.paidAmount
    ? []
    : NOTICES[before.state][after.state]

export interface Notice extends ExpectedMoment {
  /** of the message */
  id: string
  type: string
}

/** The id of the notice of a change: the first is number 1. */
function idOfNotice(type: string, { id, over }: Changed, change: number): string {
  const identity = JSON.stringify([type, id, over, String(change)])
  return `msg_${createHash('sha256').update(identity).digest('hex').slice(0, 40)}expectation`
}

interface Changed {
  /** of the expectation */
  id: string
  over: Over
  /** how often the state or the sum changed, and into what at last */
  changes: number
  state: ExpectationState
}

/**
 * What an expectation may have been before a change, as far as its notices say. Some changes have none: a further part before the
 * end, a part that is taken back, more than too much, and cancelling.
 */
type Possible = ReadonlyMap<ExpectationState, bigint | null>

/** After a change without a notice. A sum that nobody was told of is not known. */
function afterSilence(before: Possible): Map<ExpectationState, null> {
  const after = new Map<ExpectationState, null>()
  for (const state of before.keys()) {
    if (state === 'underpaid') after.set('underpaid', null).set('open', null)
    if (state === 'overpaid' || state === 'expired') after.set(state, null)
  }
  return after
}

/** What is paid cannot be cancelled. */
const afterCancelling = (before: Possible): Map<ExpectationState, bigint> =>
  new Map([...before.keys()].some(state => !isMet(state)) ? [['cancelled', 0n]] : [])

/** Whether a change can have such notices, the first of which says what it is after the change. */
function isNoticed(before: Possible, after: ExpectedMoment, types: readonly string[]): boolean {
  return [...before].some(([state, paidAmount]) => {
    // Where the sum is not known, it can have been lower.
    const must = noticesOf({ state, paidAmount: paidAmount ?? after.paidAmount - 1n }, after)
    return must.length > 0 && must.join() === types.join()
  })
}

/**
 * Follows the changes of an expectation from its creation by its notices: each change sends what it must, once and in
 * its order.
 * @param notices each message once, in the order in which they came
 */
export function findNoticeProblems(changed: Changed, notices: readonly Notice[]): string[] {
  const left = [...notices]
  let possible: Possible = new Map([['open', 0n]])
  for (let change = 1; change <= changed.changes; change++) {
    const own = left.filter(({ id, type }) => id === idOfNotice(type, changed, change))
    const isInOrder = own.every((notice, at) => left[at] === notice)
    const [first] = own
    const problem = `change ${change} from ${[...possible.keys()].join(' or ')} has the notices ${listOf(own)}, into ${changed.state} at last`
    if (first) {
      const types = own.map(({ type }) => type)
      if (!isInOrder || !isNoticed(possible, first, types)) return [problem]
      possible = new Map([[first.state, first.paidAmount]])
      left.splice(0, own.length)
    } else {
      const isCancelled = change === changed.changes && changed.state === 'cancelled'
      possible = isCancelled ? afterCancelling(possible) : afterSilence(possible)
      if (possible.size === 0) return [problem]
    }
  }
  if (left.length > 0) return [`no change has the notices ${listOf(left)}`]
  const last = [...possible.keys()].join(' or ')
  return possible.has(changed.state) ? [] : [`notified until ${last}, and the record is ${changed.state}`]
}

const listOf = (notices: readonly Notice[]): string =>
  notices.map(({ type, state, id }) => `${type} into ${state} (${id})`).join() || 'nothing'
