// Webhook endpoints of the fixtures' gateways, compared with REST.
import {
  openReceiver,
  type AskApi,
  type FixtureAnswers,
  type FixtureMessage,
  type Receiver,
  type TestContext,
} from '@payment-tracking/testkit'
import type { Test } from 'tap'
import { askJson } from '../ask-json.js'
import { signIn } from '../chaos/load/receivers.js'
import { keyOfWallet } from './sign-with.js'

interface Gateway {
  gateway: string
  authority: string
  authoritySecret: string
}

const membersOf = ({ bytes }: FixtureMessage): Record<string, unknown> => {
  try {
    return (JSON.parse(Buffer.from(bytes).toString('utf8')) ?? {}) as Record<string, unknown>
  } catch {
    return {}
  }
}
const isNamed = (message: FixtureMessage, name: string): boolean =>
  String(membersOf(message).event_name).endsWith(name)

/** Without its Created, nobody can sign in for a gateway. */
export const gatewaysFirst = (messages: readonly FixtureMessage[]): FixtureMessage[] =>
  messages.filter(message => isNamed(message, 'PaymentGatewayCreated'))

/** Gateways that are deleted at any time lose their webhooks then, whatever becomes of them later. */
export function lastingGateways(messages: readonly FixtureMessage[], expected: FixtureAnswers): Gateway[] {
  const deleted = new Set(
    messages
      .filter(message => isNamed(message, 'PaymentGatewayDeleted'))
      .map(message => (membersOf(message).data as { gateway?: unknown } | undefined)?.gateway),
  )
  return (expected.gateways as unknown as Gateway[]).filter(({ gateway }) => !deleted.has(gateway))
}

interface Endpoint {
  gateway: string
  finality: 'confirmed' | 'finalized'
  /** absent: what a webhook gets that names none */
  eventTypes?: string[]
  receiver: Receiver
}

const BOTH_TYPES = ['payment.executed', 'payment.retracted']
const KINDS = [
  { finality: 'confirmed', eventTypes: BOTH_TYPES },
  { finality: 'finalized', eventTypes: BOTH_TYPES },
  { finality: 'confirmed' },
] as const

/** Of each gateway: one endpoint that is told at once, one that waits until a payment is final, one that chose nothing. */
export async function openEndpoints(
  t: TestContext,
  apiUrl: string,
  gateways: readonly Gateway[],
): Promise<Endpoint[]> {
  const endpoints: Endpoint[] = []
  for (const gateway of gateways) {
    const { gateway: address, authority: publicKey, authoritySecret } = gateway
    const authority = { publicKey, privateKey: keyOfWallet(authoritySecret) }
    const token = await signIn(apiUrl, { address, authority })
    for (const kind of KINDS) {
      const receiver = await openReceiver(t)
      const body = {
        gateway_pubkey: gateway.gateway,
        endpoint_url: receiver.url,
        format: 'standard',
        ...kind,
      }
      const { status, text } = await askJson(`${apiUrl}/v1/webhooks`, { method: 'POST', token, body })
      if (status !== 201) throw new Error(`POST /v1/webhooks: ${text}`)
      endpoints.push({ gateway: gateway.gateway, receiver, ...kind })
    }
  }
  return endpoints
}

interface Payment {
  eventId: string
  eventName: string
  trackingId: string | null
  data: { composable_policy?: string }
  finality: string
}

/** A payment of a composable policy that nobody has told us of yet is told with its policy. */
async function awaitsPolicy({ eventName, trackingId, data }: Payment, ask: AskApi): Promise<boolean> {
  if (eventName !== 'ComposableExecuted' || trackingId !== null) return false
  const path = `/v1/events?eventName=ComposablePolicyCreated&paymentPolicy=${data.composable_policy}`
  return (JSON.parse((await ask(path)).text) as unknown[]).length === 0
}

/** Every valid payment was posted under one id and one body; what was posted and is retracted was taken back. */
export async function checkEndpoint(
  t: Test,
  { gateway, finality, eventTypes, receiver }: Endpoint,
  ask: AskApi,
): Promise<void> {
  const listed = JSON.parse(
    (await ask(`/v1/events/payments?gateway=${gateway}&limit=1000`)).text,
  ) as Payment[]
  const waiting = new Set<Payment>()
  for (const payment of listed) if (await awaitsPolicy(payment, ask)) waiting.add(payment)
  const due = listed.filter(
    payment => !waiting.has(payment) && (finality === 'confirmed' || payment.finality === 'finalized'),
  )
  const bodies = new Map<string, Set<string>>()
  const executed = new Map<string, Set<string>>()
  const retracted = new Set<string>()
  for (const { headers, body } of receiver.requests) {
    const id = String(headers['webhook-id'])
    bodies.set(id, (bodies.get(id) ?? new Set()).add(body))
    const { type, data } = JSON.parse(body) as { type: string; data: { eventId: string } }
    if (type === 'payment.retracted') retracted.add(data.eventId)
    else executed.set(data.eventId, (executed.get(data.eventId) ?? new Set()).add(id))
  }
  const what = `${finality} ${eventTypes ? 'endpoint' : 'endpoint without types'} of ${gateway}`
  for (const of of bodies.values()) t.equal(of.size, 1, `${what}: every attempt has the same body`)
  for (const of of executed.values()) t.equal(of.size, 1, `${what}: each payment has one id`)
  if (eventTypes === undefined) t.equal(retracted.size, 0, `${what}: no type that was not chosen`)
  const valid = new Set(due.map(({ eventId }) => eventId))
  const found = [...valid].filter(id => !executed.has(id))
  t.strictSame(found, [], `${what}: all of ${due.length} payments were posted`)
  t.strictSame(
    [...executed.keys()].filter(id => !valid.has(id) && !retracted.has(id) && eventTypes !== undefined),
    [],
    `${what}: no other is valid`,
  )
  t.strictSame(
    [...retracted].filter(id => valid.has(id)),
    [],
    `${what}: nothing valid was taken back`,
  )
}
