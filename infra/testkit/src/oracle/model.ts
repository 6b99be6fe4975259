// What follows from the valid events: policies, user payments, gateways, and the details of each payment.
import { deriveGateway, derivePolicy, deriveUserPayment } from '@payment-tracking/domain'
import { DEFAULT_PROGRAM_ID } from '@payment-tracking/contracts'
import { push } from './push.js'
import { text, type Said, type SaidEvent } from './said.js'
import { compare, isPayment, policyNamed, resolveEvents, type ResolvedEvent } from './resolved-events.js'
import { amountOf, createdBefore, isCreated, policyOf, trackingIdOf, type ModelPolicy } from './policy.js'

export interface ModelPayment {
  event: ResolvedEvent
  /** null for a direct transfer */
  policy: string | null
  gateway: string
  amount: bigint
  recipient: string | null
  payer: string | null
  tokenMint: string | null
  trackingId: string | null
  /** its tracking ID is that of a policy that is not known at its position: nobody was notified of the payment yet */
  awaitsPolicy: boolean
}

export interface Model {
  events: ResolvedEvent[]
  conflicts: SaidEvent[]
  finalizedSlot: number
  /** retracted ones too */
  payments: ModelPayment[]
  policies: Map<string, ModelPolicy>
  userPayments: Map<string, { live: boolean; owner: string; tokenMint: string }>
  gateways: Map<string, { live: boolean; authority: string; signer: string }>
  /** of each policy the Created events, in chain order, retracted ones too */
  created: Map<string, ResolvedEvent[]>
  /** all events that name the policy, in chain order */
  histories: Map<string, ResolvedEvent[]>
  /** gateways of which any message says that they were deleted */
  everDeleted: Set<string>
}

/** The policy of an event. A regular policy's Created event does not name its address. */
export function policyAddressOf(event: ResolvedEvent): string | null {
  const { name, data } = event
  return name === 'PaymentPolicyCreated'
    ? derivePolicy(DEFAULT_PROGRAM_ID, text(data.user_payment), data.policy_id as number)
    : policyNamed(event)
}

export function buildModel(messages: readonly Said[]): Model {
  const { events, conflicts, finalizedSlot } = resolveEvents(messages)
  events.sort(compare)
  const histories = new Map<string, ResolvedEvent[]>()
  const ofGateway = new Map<string, ResolvedEvent[]>()
  const ofUserPayment = new Map<string, ResolvedEvent[]>()
  const everDeleted = new Set<string>()
  for (const event of events) {
    const { name, data, retracted } = event
    const policy = policyAddressOf(event)
    if (policy !== null) push(histories, policy, event)
    if (name === 'PaymentGatewayDeleted') everDeleted.add(text(data.gateway))
    if (retracted) continue
    if (name === 'PaymentGatewayCreated')
      push(ofGateway, deriveGateway(DEFAULT_PROGRAM_ID, text(data.authority)), event)
    if (name === 'PaymentGatewayDeleted' || name === 'GatewaySignerChanged')
      push(ofGateway, text(data.gateway), event)
    if (name === 'UserPaymentCreated') {
      const address = deriveUserPayment(DEFAULT_PROGRAM_ID, text(data.owner), text(data.token_mint))
      push(ofUserPayment, address, event)
    }
    if (name === 'UserPaymentDeleted') push(ofUserPayment, text(data.user_payment), event)
  }
  const policies = new Map<string, ModelPolicy>()
  for (const [address, history] of histories) {
    const policy = policyOf(
      address,
      history.filter(({ retracted }) => !retracted),
    )
    if (policy) policies.set(address, policy)
  }
  const model: Model = {
    events,
    conflicts,
    finalizedSlot,
    policies,
    histories,
    everDeleted,
    payments: [],
    userPayments: mapOf(ofUserPayment, readUserPayment),
    gateways: mapOf(ofGateway, readGateway),
    created: mapOf(histories, history => history.filter(isCreated)),
  }
  model.payments = events.filter(isPayment).map(event => readPayment(event, model))
  return model
}

function mapOf<A, B>(map: ReadonlyMap<string, A>, read: (value: A) => B | undefined): Map<string, B> {
  const read_ = new Map<string, B>()
  for (const [key, value] of map) {
    const of = read(value)
    if (of !== undefined) read_.set(key, of)
  }
  return read_
}

function readGateway(history: readonly ResolvedEvent[]) {
  const created = history.findLast(({ name }) => name === 'PaymentGatewayCreated')
  if (!created) return undefined
  const deleted = history.findLast(({ name }) => name === 'PaymentGatewayDeleted')
  const change = history.findLast(({ name }) => name === 'GatewaySignerChanged')
  const authority = text(created.data.authority)
  const counts = change && compare(change, created) >= 0
  return {
    live: !deleted || compare(created, deleted) > 0,
    authority,
    signer: counts ? text(change.data.new_signer) : authority,
  }
}

function readUserPayment(history: readonly ResolvedEvent[]) {
  const created = history.findLast(({ name }) => name === 'UserPaymentCreated')
  if (!created) return undefined
  const { owner, token_mint: tokenMint } = created.data
  return { live: history.at(-1) === created, owner: text(owner), tokenMint: text(tokenMint) }
}

/** What the payment says itself wins; else its incarnation says who is paid, and its policy's account who pays in what. */
function readPayment(event: ResolvedEvent, { created, policies, userPayments }: Model): ModelPayment {
  const { data, name } = event
  const policy = policyNamed(event)
  const ever = policy === null ? [] : (created.get(policy) ?? [])
  const incarnation = createdBefore(
    ever.filter(({ retracted }) => !retracted),
    event,
  )
  const known = policy === null ? undefined : policies.get(policy)
  const account = known && userPayments.get(known.userPayment)
  const own = data.memo == null ? null : trackingIdOf(data.memo)
  // A Created event whose transaction was retracted said the same when it came again.
  const creation = name === 'ComposableExecuted' && own === null ? createdBefore(ever, event) : undefined
  return {
    event,
    policy,
    gateway: text(data.gateway),
    amount: amountOf(event),
    recipient: (data.recipient ?? incarnation?.data.recipient ?? null) as string | null,
    payer: (data.payer ?? account?.owner ?? null) as string | null,
    tokenMint: (data.token_mint ?? known?.tokenMint ?? account?.tokenMint ?? null) as string | null,
    trackingId: creation ? trackingIdOf(creation.data.memo) : own,
    awaitsPolicy: name === 'ComposableExecuted' && own === null && creation === undefined,
  }
}
