// Turns the steps of small worlds into messages: chain positions, several events in a transaction and several
// transactions in a slot, copies that know a position better, contradictions, and transactions that the finalized chain
// does not hold.
import { EXPECTATION_TYPES } from '@payment-tracking/domain'
import fc from 'fast-check'
import { labelOf } from '@payment-tracking/testkit/oracle'
import { addressesOf, COMPOSABLE, RECIPIENTS, MINTS, signatureOf } from './addresses.js'
import { BEGINNING, eventOf, trackingIdOf } from './event-data.js'
import { expectationsOf, type Expectation, type ExpectationPlan } from './expected-plans.js'
import type { EventMessage, Message } from './messages.js'
import { worlds, type Copy, type Marks, type Step, type WebhookPlan, type World } from './steps.js'

const FIRST_SLOT = 1_000
/** Between the slots of a world there is room for slots of transactions that do not stay there. */
const SLOT_STEP = 4
/** of a slot's first transaction of a world: an unknown number is 0 */
const FIRST_INDEX = 3

interface Transaction {
  number: number
  slot: number
  /** ms since 1970 */
  at: number
  index: number
  steps: { step: Step; index: number; recordId: number }[]
  fate: Step['fate']
}

/** Gives each step its chain position. */
function orderSteps(steps: readonly Step[]): Transaction[] {
  const transactions: Transaction[] = []
  const recordIds = new Map<number, number>()
  let [slot, at] = [FIRST_SLOT, BEGINNING]
  let inSlot: Transaction[] = []
  let number = 0
  for (const step of steps) {
    const { action, joins, pause, fate } = step
    let recordId = 0
    if (action.kind === 'payment') {
      recordId = (recordIds.get(action.policy) ?? 0) + 1
      recordIds.set(action.policy, recordId)
    }
    const joined = { step, index: 0, recordId }
    const last = inSlot.at(-1)
    const isFree = mustBeginSlot(step, inSlot)
    if (last && joins === 'transaction' && !isFree) {
      last.steps.push({ ...joined, index: last.steps.length })
      continue
    }
    if (last && joins === 'slot' && !isFree) {
      inSlot.push({ ...last, index: last.index + 1, steps: [joined], number: ++number, fate })
    } else {
      slot += SLOT_STEP
      at += pause * 1000
      inSlot = [{ number: ++number, slot, at, index: FIRST_INDEX, steps: [joined], fate }]
    }
    transactions.push(inSlot.at(-1)!)
  }
  return transactions
}

/** On the chain, no payment of a composable policy stands before the policy's beginning in the same slot. */
const mustBeginSlot = ({ action }: Step, inSlot: readonly Transaction[]): boolean =>
  action.kind === 'policy created' &&
  action.policy === COMPOSABLE &&
  inSlot.some(({ steps }) =>
    steps.some(({ step }) => step.action.kind === 'payment' && step.action.policy === COMPOSABLE),
  )

/** The messages of a world, in the order of the chain. @param retractions false: as if none were ever retracted */
function messagesOfWorld(world: number, { steps }: World, retractions: boolean): Message[] {
  const transactions = orderSteps(steps)
  const inSlot = new Map<number, number>()
  for (const { slot } of transactions) inSlot.set(slot, (inSlot.get(slot) ?? 0) + 1)
  return transactions.flatMap(transaction => {
    const isFirst = transaction.index === FIRST_INDEX
    const isAlone = inSlot.get(transaction.slot) === 1 && transaction.steps.length === 1
    return messagesOfTransaction(world, transaction, { isFirst, isAlone, retractions })
  })
}

/** The chain holds no payment of a policy without the policy: a composable policy gives its payments their tracking ID. */
const mustReturn = ({ steps }: Transaction): boolean =>
  steps.some(({ step: { action } }) => action.kind === 'policy created' && action.policy === COMPOSABLE)

interface Neighbours {
  /** the first transaction of its slot */
  isFirst: boolean
  /** nothing else in its slot: its position need not be known */
  isAlone: boolean
  retractions: boolean
}

function messagesOfTransaction(
  world: number,
  transaction: Transaction,
  { isFirst, isAlone, retractions }: Neighbours,
): Message[] {
  const { fate, slot, at, number, steps } = transaction
  const signature = signatureOf(world, number)
  const control = (of: number): Message => ({
    kind: 'retracted',
    key: mix(steps[0]!.step.key, 900),
    signature,
    slot: of,
  })
  const messages = steps.flatMap(({ step }, nth) => messagesOfStep(world, transaction, nth, isAlone, step))
  if (fate === 'valid') return messages
  if (fate === 'retracted' && !mustReturn(transaction)) return retractions ? [...messages, control(slot)] : []
  if (!retractions) return messages
  // In the slot before or after its own. Before only if no other transaction of its own slot comes before it.
  const [away, later] = isFirst && number % 2 === 0 ? [-1, -500] : [1, 500]
  const elsewhere = { ...transaction, slot: slot + away, at: at + later }
  const known: Copy = { knowsPosition: true, finalized: false, tagged: false }
  const orphans = steps.map(({ step }, nth) => ({
    ...messageOf(world, elsewhere, nth, known, false),
    key: mix(step.key, 800),
  }))
  return fate === 'returns'
    ? [...orphans, control(elsewhere.slot), ...messages]
    : [...messages, ...orphans, control(elsewhere.slot)]
}

function messagesOfStep(
  world: number,
  transaction: Transaction,
  nth: number,
  isAlone: boolean,
  step: Step,
): EventMessage[] {
  const isNameless = isAlone && step.key % 4 === 0
  const { copies, contradiction } = step
  const messages = copies.map((copy, at) => {
    const isLast = at === copies.length - 1
    const knowsPosition = copy.knowsPosition || (isLast && !isAlone)
    const said = messageOf(world, transaction, nth, { ...copy, knowsPosition }, isNameless)
    return { ...said, key: mix(step.key, at) }
  })
  if (contradiction === null) return messages
  const key = mix(step.key, 700)
  const last = messages.at(-1)!
  if (contradiction === 'slot' && transaction.fate === 'valid')
    return [...messages, { ...last, key, slot: last.slot + 2, at: last.at + 700 }]
  // Without an index, other data make another event.
  if (contradiction === 'data' && !isNameless)
    return [...messages, { ...last, key, data: { ...last.data, contradiction: true } }]
  return [...messages, { ...last, key, at: last.at + 5 }]
}

function messageOf(
  world: number,
  { number, slot, at, index: transactionIndex, steps }: Transaction,
  nth: number,
  { knowsPosition, finalized, tagged }: Copy,
  isNameless: boolean,
): EventMessage {
  const { step, index, recordId } = steps[nth]!
  const { action, key } = step
  const { name, data } = eventOf(action, { world, recordId, time: Math.floor(at / 1000) })
  const isRecord = action.kind === 'payment' && name === 'PaymentRecord'
  return {
    kind: 'event',
    key,
    name,
    signature: signatureOf(world, number),
    slot,
    finalized,
    at,
    data,
    tagged,
    transactionIndex: knowsPosition ? transactionIndex : undefined,
    // Only a payment of a policy is known without its index.
    index: isNameless || (isRecord && !knowsPosition) ? undefined : index,
  }
}

/** Another number for each message of a step, which stays the same when other steps are removed. */
export function mix(a: number, b: number): number {
  let h = Math.imul(a ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(b + 1, 0xc2b2ae35)
  h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d)
  return (h ^ (h >>> 13)) >>> 0
}

export interface Webhook {
  gateway: string
  /** empty: payments alone */
  types: string[]
  finality: 'confirmed' | 'finalized'
  filters: { recipient?: string; tokenMint?: string; minAmount?: string; trackingIdPrefix?: string } | null
  tried: boolean
}

/** For failures. */
export function describeWebhook({ gateway, types, finality, filters, tried }: Webhook): string {
  const wanted = Object.entries(filters ?? {}).map(([name, value]) => `${name} ${labelOf(value)}`)
  const said = types.length === 0 ? 'payments' : types.join(', ')
  const only = wanted.length === 0 ? '' : ` with ${wanted.join(' and ')}`
  return `webhook of ${labelOf(gateway)} for what is ${finality}: ${said}${only}${tried ? ', tried after each batch' : ''}`
}

const POLICY_TYPES = ['created', 'paused', 'resumed', 'completed', 'deleted'].map(
  each => `subscription.${each}`,
)
const PAYMENT_TYPES = ['payment.executed', 'payment.retracted']
const TYPES: Record<string, string[]> = {
  default: [],
  all: [...PAYMENT_TYPES, ...POLICY_TYPES, ...EXPECTATION_TYPES],
  payments: PAYMENT_TYPES,
  executed: ['payment.executed'],
  policies: POLICY_TYPES,
}

function webhookOf(world: number, { gateway, types, finality, filter, tried }: WebhookPlan): Webhook {
  const filters: Webhook['filters'] = {}
  if (filter && 'recipient' in filter) filters.recipient = RECIPIENTS[filter.recipient]!
  if (filter && 'mint' in filter) filters.tokenMint = MINTS[filter.mint]!
  if (filter && 'minAmount' in filter) filters.minAmount = filter.minAmount.toString()
  if (filter && 'prefix' in filter) filters.trackingIdPrefix = trackingIdOf(world, 'a')!
  return {
    gateway: addressesOf(world).gateways[gateway]!.address,
    types: TYPES[types]!,
    finality,
    filters: filter === null ? null : filters,
    tried,
  }
}

export interface History {
  /** in the order of the chain, the worlds side by side */
  messages: Message[]
  /** of each message the rank in its own world, from 0 to 1: it does not change when other worlds are left out */
  ranks: number[]
  webhooks: Webhook[]
  expectations: Expectation[]
}

/** @param retractions false: nothing was ever retracted, and what never returned did not happen */
export function historyOf(
  {
    worlds: drawn,
    marks: drawnMarks,
    expected,
  }: { worlds: readonly (World | null)[]; marks: Marks; expected: readonly ExpectationPlan[] },
  retractions = true,
): History {
  const ranked: { message: Message; rank: number }[] = drawnMarks.map(({ key, slot }) => ({
    message: { kind: 'finalized', key, slot: FIRST_SLOT + slot },
    rank: slot / 80,
  }))
  const hooks: Webhook[] = []
  for (const [world, drawnWorld] of drawn.entries()) {
    if (drawnWorld === null) continue
    const messages = messagesOfWorld(world, drawnWorld, retractions)
    messages.forEach((message, at) => ranked.push({ message, rank: at / messages.length }))
    hooks.push(...drawnWorld.webhooks.map(plan => webhookOf(world, plan)))
    // The feed of each gateway is compared with what this one is sent.
    for (const { address: gateway } of addressesOf(world).gateways)
      hooks.push({ gateway, types: TYPES.all!, finality: 'confirmed', filters: null, tried: true })
  }
  ranked.sort((a, b) => a.rank - b.rank)
  return {
    messages: ranked.map(({ message }) => message),
    ranks: ranked.map(({ rank }) => rank),
    webhooks: hooks,
    expectations: expectationsOf(expected.filter(({ world }) => drawn[world])),
  }
}

/** Fills in what payments leave open. */
function withKnownPayments(world: World): World {
  const steps = world.steps.map((step): Step => {
    const { action, key } = step
    if (action.kind !== 'payment' && action.kind !== 'transfer') return step
    const { recipient, mint } = action.own
    const own = { ...action.own, recipient: recipient ?? key % 2, mint: mint ?? (key >> 1) % 2 }
    const memo = action.memo === 'none' || action.memo === 'bad' ? 'a' : action.memo
    // Every third keeps what it leaves open, so that a later event supplies it.
    return key % 3 === 0 ? step : { ...step, action: { ...action, memo, own } }
  })
  return { ...world, steps }
}

/** The worlds of one run. Each is a history of its own: they share batches, mints and the highest final slot. */
export const manyWorlds = (count: number, known = false) => {
  const drawn = known ? worlds.map(withKnownPayments) : worlds
  return fc.tuple(...Array.from({ length: count }, () => fc.option(drawn, { freq: 10_000 })))
}
