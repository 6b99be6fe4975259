// Everybody who is told of payments while the services change: sockets, a webhook receiver, readers of REST.
import { setTimeout as sleep } from 'node:timers/promises'
import { watchPayments } from '@payment-tracking/client'
import type { SocketPayment } from '@payment-tracking/contracts'
import { openReceiver, waitFor, type Receiver, type TestContext } from '@payment-tracking/testkit'
import { askJson } from '../ask-json.js'
import { signIn } from '../chaos/load/receivers.js'
import type { Market } from './market.js'

export interface SocketWatch {
  /** By tracking ID, in the order they came. */
  payments: Map<string, SocketPayment[]>
  close(): void
}

const PAUSE_MS = 100
/** A worker whose breaker opened sends nothing for 60 s; then come a probe and what was held, within seconds. */
const KNOWN_WITHIN_MS = 90_000

/** Follows every tracking ID there, from its first payment on, with the published client. */
export function watchAll(name: string, baseUrl: string, market: Market, complaints: string[]): SocketWatch {
  const payments = new Map<string, SocketPayment[]>()
  const watches = market.policies.map(({ trackingId }) => {
    const received: SocketPayment[] = []
    payments.set(trackingId, received)
    return watchPayments(baseUrl, {
      trackingId,
      since: 0,
      onPayment: payment => received.push(payment),
      onRefused: ({ code }) => complaints.push(`${name}: ${code}`),
      onReset: () => complaints.push(`${name}: another database`),
    })
  })
  return { payments, close: () => watches.forEach(watch => watch.close()) }
}

/** Asks there, question by question. @returns what ends it, when the last answer is there */
export function readOn(
  name: string,
  baseUrl: string,
  market: Market,
  complaints: string[],
): () => Promise<void> {
  const questions = [
    '/v1/events?limit=5',
    '/v1/events/count',
    `/v1/events/payments/stats?gateway=${market.gateway.address}`,
    `/v1/events/payments?paymentPolicy=${market.policies[0]!.address}&limit=5`,
    ...market.policies.map(({ trackingId }) => `/v1/subscriptions?trackingId=${trackingId}`),
  ]
  let stopped = false
  const reading = (async () => {
    for (let turn = 0; !stopped; turn += 1) {
      const question = questions[turn % questions.length]!
      try {
        const answer = await fetch(baseUrl + question)
        const text = await answer.text()
        if (!answer.ok) complaints.push(`${name}: ${question}: ${answer.status} ${text}`)
      } catch (error) {
        complaints.push(`${name}: ${question}: ${String((error as Error).cause)}`)
      }
      await sleep(PAUSE_MS)
    }
  })()
  return () => {
    stopped = true
    return reading
  }
}

/**
 * Signs in and registers an endpoint of the gateway, as its owner does.
 * @param host the address of this machine that the endpoint listens on
 */
export async function openEndpoint(
  t: TestContext,
  apiUrl: string,
  market: Market,
  host?: string,
): Promise<Receiver> {
  const receiver = await openReceiver(t, host)
  const body = { gateway_pubkey: market.gateway.address, endpoint_url: receiver.url, format: 'standard' }
  const token = await signIn(apiUrl, market.gateway)
  const { status, text } = await askJson(`${apiUrl}/v1/webhooks`, { method: 'POST', token, body })
  if (status !== 201) throw new Error(`POST /v1/webhooks: ${text}`)
  return receiver
}

/** The payments a receiver was sent, by signature, with the ids they came under. */
export function readPosted({ requests }: Receiver): Map<string, Set<string>> {
  const posted = new Map<string, Set<string>>()
  for (const { body, headers } of requests) {
    const { signature } = (JSON.parse(body) as { data: { signature: string } }).data
    posted.set(signature, (posted.get(signature) ?? new Set()).add(String(headers['webhook-id'])))
  }
  return posted
}

/**
 * Waits until everybody was told of every payment that is published by now.
 * @param explain says more when somebody was not told
 */
export async function everybodyKnows(
  what: string,
  market: Market,
  receiver: Receiver,
  watches: readonly SocketWatch[],
  explain: () => Promise<string> = () => Promise.resolve(''),
): Promise<void> {
  const wanted = market.payments.map(({ signature }) => signature)
  const lacking = (received: ReadonlySet<string>) =>
    wanted.filter(signature => !received.has(signature)).length
  const received = () => [
    new Set(readPosted(receiver).keys()),
    ...watches.map(({ payments }) => new Set([...payments.values()].flat().map(each => each.signature))),
  ]
  await waitFor(() => received().every(each => lacking(each) === 0), {
    what: `${what}: everybody knows of ${wanted.length} payments`,
    timeoutMs: KNOWN_WITHIN_MS,
    intervalMs: 100,
  }).catch(async (error: Error) => {
    const missing = received().map(lacking).join(', ')
    const more = await explain().catch(String)
    throw new Error(`${error.message}; lacking (webhook, sockets …): ${missing}\n${more}`)
  })
}
