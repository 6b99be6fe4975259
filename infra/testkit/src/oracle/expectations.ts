// Expected payments, by the contract's words: the state of a sum, and the notices of each change.
import { createHash } from 'node:crypto'
import type { Model, ModelPayment } from './model.js'

export type ExpectedState = 'open' | 'underpaid' | 'paid' | 'overpaid' | 'expired' | 'cancelled'
/** Over which payments a state is: all that stand, or the final ones alone. */
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
  state: ExpectedState
  paidAmount: bigint
  inTimeAmount: bigint
  late: boolean
  /** what counts */
  payments: readonly ModelPayment[]
}

const sum = (payments: readonly ModelPayment[]): bigint =>
  payments.reduce((total, { amount }) => total + amount, 0n)

const isMet = (state: ExpectedState): boolean => state === 'paid' || state === 'overpaid'

/** The state of a sum at a moment. */
export function expectedStateOf(
  { amount, expiresAt, cancelled }: Pick<ExpectedTerms, 'amount' | 'expiresAt' | 'cancelled'>,
  paidAmount: bigint,
  now: Date,
): ExpectedState {
  if (cancelled) return 'cancelled'
  if (paidAmount > amount) return 'overpaid'
  if (paidAmount === amount) return 'paid'
  if (expiresAt !== null && now > expiresAt) return 'expired'
  return paidAmount === 0n ? 'open' : 'underpaid'
}

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
    const state = expectedStateOf(terms, paidAmount, now)
    return { state, paidAmount, inTimeAmount, late: isMet(state) && inTimeAmount < amount, payments }
  }
  return { all: over(counting), final: over(counting.filter(({ event }) => event.isFinal)) }
}

/** The types of the notices of a change of the state. */
export function noticesOf(before: ExpectedState, after: ExpectedState): string[] {
  if (before === after || after === 'cancelled') return []
  const notices: string[] = []
  if (isMet(before) && !isMet(after)) notices.push('reopened')
  if (isMet(after) || after === 'expired') notices.push(after)
  if (before === 'open' && after === 'underpaid') notices.push('underpaid')
  return notices.map(type => `expectation.${type}`)
}

export interface Notice {
  /** of the message */
  id: string
  type: string
  /** in the record of the notice */
  state: ExpectedState
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
  /** how often the state changed, and into what at last */
  changes: number
  state: ExpectedState
}

/**
 * Follows the changes of an expectation from its creation by its notices: each change sends what it must, once and in
 * its order. Only a retraction of all parts and a cancelling send nothing.
 * @param notices each message once, in the order in which they came
 */
export function findNoticeProblems(changed: Changed, notices: readonly Notice[]): string[] {
  const left = [...notices]
  let state: ExpectedState = 'open'
  for (let change = 1; change <= changed.changes; change++) {
    const [first] = left
    const isSent = first !== undefined && first.id === idOfNotice(first.type, changed, change)
    const isCancelled = change === changed.changes && changed.state === 'cancelled'
    const after: ExpectedState = isSent ? first.state : isCancelled ? 'cancelled' : 'open'
    const must = noticesOf(state, after)
    const isRight =
      must.length === 0
        ? !isSent && isSilent(state, after)
        : must.every((type, at) => left[at]?.id === idOfNotice(type, changed, change))
    if (!isRight)
      return [
        `change ${change} from ${state} has the notices ${listOf(left.slice(0, 2))}, into ${changed.state} at last`,
      ]
    left.splice(0, must.length)
    state = after
  }
  if (left.length > 0) return [`no change has the notices ${listOf(left)}`]
  return state === changed.state ? [] : [`notified until ${state}, and the record is ${changed.state}`]
}

/** Whether there is such a change without a notice. Once something was paid, nothing can be cancelled. */
const isSilent = (before: ExpectedState, after: ExpectedState): boolean =>
  after === 'cancelled'
    ? before === 'open' || before === 'expired'
    : before === 'underpaid' && after === 'open'

const listOf = (notices: readonly Notice[]): string =>
  notices.map(({ type, state, id }) => `${type} into ${state} (${id})`).join() || 'nothing'
