// What follows from events: gateways, user payments, policies. Everything is computed at once from all events,
// sorted as the chain has them; there is no order of arrival in here.
import { gatewayOf, policyOf, userPaymentOf } from './addresses.js'
import { nextDue, type Frequency } from './due-date.js'
import type { ModelEvent } from './events.js'
import { isPayment, NO_POLICY, text, type Message } from './identity.js'
import { trackingIdOf } from './memo.js'

export interface ModelPayment {
  identity: string
  message: Message
  signature: string
  policy: string
  gateway: string
  recordId: number
  amount: bigint
  paidAt: number
  occurredAtMs: number
  /** its own, or that of its policy */
  trackingId: string | null
  /** what it says itself */
  tokenMint: string | null
  retracted: boolean
  isFinal: boolean
}

export interface ModelPolicy {
  live: boolean
  family: 'regular' | 'composable'
  /** what a composable policy pays in */
  tokenMint: string | null
  userPayment: string
  gateway: string
  recipient: string
  trackingId: string | null
  policyId: number
  createdAt: number
  updatedAt: number
  totalPaid: bigint
  paymentCount: number
  status: string
  nextPaymentDue: number | null
}

export interface Model {
  /** address → whether it exists, authority and who signs now */
  gateways: Map<string, { live: boolean; authority: string; signer: string }>
  userPayments: Map<string, { live: boolean; owner: string; tokenMint: string }>
  policies: Map<string, ModelPolicy>
  /** retracted ones too: they keep their `seq`, and may have been told */
  payments: ModelPayment[]
}

interface Terms {
  variant: string
  max_renewals: number | null
  payment_frequency: Frequency
  next_payment_due: string
}

const seconds = (message: Message): number => Math.floor(Date.parse(message.timestamp) / 1000)

/** The plan gives each transaction a slot of its own, so slot and index order everything. */
export const inChainOrder = (a: ModelEvent, b: ModelEvent): number =>
  a.message.slot - b.message.slot || (a.message.index ?? 0) - (b.message.index ?? 0)

const push = <K, V>(map: Map<K, V[]>, key: K, value: V): void =>
  void (map.get(key)?.push(value) ?? map.set(key, [value]))

/** The policy that an event names, by the field of its family. */
const policyNamed = ({ data }: Message): string => text(data.payment_policy ?? data.composable_policy)

/** @returns null for what belongs to no policy, such as a direct transfer */
export async function policyOfEvent(message: Message): Promise<string | null> {
  const { data } = message
  if (message.event_name === 'PaymentPolicyCreated')
    return policyOf(text(data.user_payment), data.policy_id as number)
  const named = data.payment_policy ?? data.composable_policy
  return named === undefined || named === NO_POLICY ? null : text(named)
}

/** @param finalizedSlot everything up to this slot is final */
export async function buildModel(events: readonly ModelEvent[], finalizedSlot: number): Promise<Model> {
  const ofGateway = new Map<string, Message[]>()
  const ofUserPayment = new Map<string, Message[]>()
  const ofPolicy = new Map<string, Message[]>()
  const payments: ModelPayment[] = []
  const sorted = [...events].sort(inChainOrder)
  for (const event of sorted) {
    if (isPayment(event.message)) payments.push(readPayment(event, sorted, finalizedSlot))
    if (event.retracted) continue
    const { message } = event
    const { data } = message
    switch (message.event_name) {
      case 'PaymentGatewayCreated':
        push(ofGateway, await gatewayOf(text(data.authority)), message)
        break
      case 'GatewaySignerChanged':
        push(ofGateway, text(data.gateway), message)
        break
      case 'UserPaymentCreated':
        push(ofUserPayment, await userPaymentOf(text(data.owner), text(data.token_mint)), message)
        break
      case 'PaymentPolicyCreated':
      case 'PaymentRecord':
      case 'PaymentPolicyStatusChanged':
      case 'PaymentPolicyDeleted':
      case 'ComposablePolicyCreated':
      case 'ComposableExecuted':
      case 'ComposablePolicyStatusChanged':
      case 'ComposablePolicyDeleted': {
        const address = await policyOfEvent(message)
        if (address !== null) push(ofPolicy, address, message)
        break
      }
    }
  }
  return {
    gateways: new Map([...ofGateway].map(([address, history]) => [address, readGateway(history)])),
    userPayments: new Map(
      [...ofUserPayment].map(([address, history]) => [address, readUserPayment(history)]),
    ),
    policies: new Map(
      [...ofPolicy].flatMap(([address, history]) => {
        const policy = readPolicy(history)
        return policy ? [[address, policy] as const] : []
      }),
    ),
    payments,
  }
}

function readPayment(
  { identity, message, retracted, saidFinal }: ModelEvent,
  events: readonly ModelEvent[],
  finalizedSlot: number,
): ModelPayment {
  const { data } = message
  const own = data.memo == null ? null : trackingIdOf(data.memo)
  return {
    identity,
    message,
    signature: message.signature,
    policy: policyNamed(message),
    gateway: text(data.gateway),
    recordId: data.record_id as number,
    amount: BigInt(text(data.amount ?? data.input_amount)),
    paidAt: Number(data.timestamp),
    occurredAtMs: Date.parse(message.timestamp),
    trackingId:
      message.event_name === 'ComposableExecuted' ? (own ?? trackingOfPolicy(message, events)) : own,
    tokenMint: data.token_mint === undefined ? null : text(data.token_mint),
    retracted,
    isFinal: saidFinal || message.slot <= finalizedSlot,
  }
}

/** The memo of the policy's incarnation that an execution belongs to. A Created that was retracted said the same. */
function trackingOfPolicy(execution: Message, events: readonly ModelEvent[]): string | null {
  const policy = policyNamed(execution)
  const created = events.findLast(
    ({ message }) =>
      message.event_name === 'ComposablePolicyCreated' &&
      policyNamed(message) === policy &&
      message.slot <= execution.slot,
  )
  return created ? trackingIdOf(created.message.data.memo) : null
}

function readGateway(history: readonly Message[]) {
  const created = history.findLastIndex(({ event_name: name }) => name === 'PaymentGatewayCreated')
  const authority = text(history[created]!.data.authority)
  const change = history.slice(created).findLast(({ event_name: name }) => name === 'GatewaySignerChanged')
  return { live: true, authority, signer: change ? text(change.data.new_signer) : authority }
}

function readUserPayment(history: readonly Message[]) {
  const { owner, token_mint: tokenMint } = history.at(-1)!.data
  return { live: true, owner: text(owner), tokenMint: text(tokenMint) }
}

/** The latest incarnation; undefined for an address that was never created. */
function readPolicy(history: readonly Message[]): ModelPolicy | undefined {
  const begin = history.findLastIndex(({ event_name: name }) => name.endsWith('PolicyCreated'))
  if (begin === -1) return undefined
  const created = history[begin]!
  const incarnation = history.slice(begin)
  const named = (ending: string) => incarnation.filter(({ event_name: name }) => name.endsWith(ending))
  const payments = incarnation.filter(isPayment)
  const lastPayment = payments.at(-1)
  const lastChange = named('PolicyStatusChanged').at(-1)
  const { data } = created
  const terms = data.policy_type as Terms
  const isSubscription = terms.variant === 'Subscription'
  const paidUp = isSubscription
    ? terms.max_renewals !== null && payments.length >= terms.max_renewals
    : payments.length > 0
  const changeDecides = lastChange !== undefined && (!lastPayment || lastChange.slot > lastPayment.slot)
  const { variant } = (lastChange?.data.new_status ?? { variant: '' }) as { variant: string }
  const lastPaidAt = lastPayment ? Number(lastPayment.data.timestamp) : null
  return {
    live: named('PolicyDeleted').length === 0,
    family: data.composable_policy === undefined ? 'regular' : 'composable',
    tokenMint: (data.forward_config as { input_mint: string } | undefined)?.input_mint ?? null,
    userPayment: text(data.user_payment),
    gateway: text(data.gateway),
    recipient: text(data.recipient),
    trackingId: trackingIdOf(data.memo),
    policyId: data.policy_id as number,
    createdAt: seconds(created),
    updatedAt: Math.max(seconds(created), lastPaidAt ?? 0, lastChange ? seconds(lastChange) : 0),
    totalPaid: payments.reduce(
      (sum, payment) => sum + BigInt(text(payment.data.amount ?? payment.data.input_amount)),
      0n,
    ),
    paymentCount: payments.length,
    status: changeDecides ? variant.toLowerCase() : paidUp ? 'completed' : 'active',
    nextPaymentDue: isSubscription
      ? nextDue(Number(terms.next_payment_due), terms.payment_frequency, lastPaidAt)
      : null,
  }
}
