// What follows from events: gateways, user payments, policies. Everything is computed at once from all events,
// sorted as the chain has them; there is no order of arrival in here.
import { gatewayOf, policyOf, userPaymentOf } from './addresses.js'
import { nextDue, type Frequency } from './due-date.js'
import type { ModelEvent } from './events.js'
import { text, type Message } from './identity.js'
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
  trackingId: string | null
}

export interface ModelPolicy {
  live: boolean
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
  nextPaymentDue: number
}

export interface Model {
  /** address → whether it exists, authority and who signs now */
  gateways: Map<string, { live: boolean; authority: string; signer: string }>
  userPayments: Map<string, { live: boolean; owner: string; tokenMint: string }>
  policies: Map<string, ModelPolicy>
  payments: ModelPayment[]
}

interface Terms {
  max_renewals: number | null
  payment_frequency: Frequency
  next_payment_due: string
}

const seconds = (message: Message): number => Math.floor(Date.parse(message.timestamp) / 1000)

/** The plan gives each transaction a slot of its own, so slot and index order everything. */
const inChainOrder = (a: ModelEvent, b: ModelEvent): number =>
  a.message.slot - b.message.slot || (a.message.index ?? 0) - (b.message.index ?? 0)

const push = <K, V>(map: Map<K, V[]>, key: K, value: V): void =>
  void (map.get(key)?.push(value) ?? map.set(key, [value]))

export async function buildModel(events: readonly ModelEvent[]): Promise<Model> {
  const ofGateway = new Map<string, Message[]>()
  const ofUserPayment = new Map<string, Message[]>()
  const ofPolicy = new Map<string, Message[]>()
  const payments: ModelPayment[] = []
  for (const { identity, message } of [...events].sort(inChainOrder)) {
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
        push(ofPolicy, await policyOf(text(data.user_payment), data.policy_id as number), message)
        break
      case 'PaymentPolicyStatusChanged':
      case 'PaymentPolicyDeleted':
        push(ofPolicy, text(data.payment_policy), message)
        break
      case 'PaymentRecord':
        push(ofPolicy, text(data.payment_policy), message)
        payments.push(readPayment(identity, message))
        break
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

function readPayment(identity: string, message: Message): ModelPayment {
  const { data } = message
  return {
    identity,
    message,
    signature: message.signature,
    policy: text(data.payment_policy),
    gateway: text(data.gateway),
    recordId: data.record_id as number,
    amount: BigInt(text(data.amount)),
    paidAt: Number(data.timestamp),
    occurredAtMs: Date.parse(message.timestamp),
    trackingId: trackingIdOf(data.memo),
  }
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
  const begin = history.findLastIndex(({ event_name: name }) => name === 'PaymentPolicyCreated')
  if (begin === -1) return undefined
  const created = history[begin]!
  const incarnation = history.slice(begin)
  const named = (name: string) => incarnation.filter(message => message.event_name === name)
  const payments = named('PaymentRecord')
  const lastPayment = payments.at(-1)
  const lastChange = named('PaymentPolicyStatusChanged').at(-1)
  const { data } = created
  const terms = data.policy_type as Terms
  const paidUp = terms.max_renewals !== null && payments.length >= terms.max_renewals
  const changeDecides = lastChange !== undefined && (!lastPayment || lastChange.slot > lastPayment.slot)
  const { variant } = (lastChange?.data.new_status ?? { variant: '' }) as { variant: string }
  const lastPaidAt = lastPayment ? Number(lastPayment.data.timestamp) : null
  return {
    live: named('PaymentPolicyDeleted').length === 0,
    userPayment: text(data.user_payment),
    gateway: text(data.gateway),
    recipient: text(data.recipient),
    trackingId: trackingIdOf(data.memo),
    policyId: data.policy_id as number,
    createdAt: seconds(created),
    updatedAt: Math.max(seconds(created), lastPaidAt ?? 0, lastChange ? seconds(lastChange) : 0),
    totalPaid: payments.reduce((sum, payment) => sum + BigInt(text(payment.data.amount)), 0n),
    paymentCount: payments.length,
    status: changeDecides ? variant.toLowerCase() : paidUp ? 'completed' : 'active',
    nextPaymentDue: nextDue(Number(terms.next_payment_due), terms.payment_frequency, lastPaidAt),
  }
}
