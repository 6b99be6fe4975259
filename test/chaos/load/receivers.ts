// The gateways' endpoints: real HTTP servers with behaviours of their own, registered through sign-in and REST.
import { sign } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  openReceiver,
  type ReceivedRequest,
  type Receiver,
  type ReceiverAnswer,
} from '@payment-tracking/testkit'
import bs58 from 'bs58'
import { isExpected, type EndpointBehaviour, type PlannedGateway } from '../plan/world.js'
import type { CommitChecker } from './commit-checker.js'

export interface Endpoint {
  behaviour: EndpointBehaviour
  gateway: string
  webhookId: number
  secret: string
  /** The position of the last event that may have been stored before the webhook was. */
  storedBefore: number
  receiver: Receiver
  /** By webhook-id, how each request was answered. */
  answers: Map<string, number[]>
  /** Ids that were answered before the database lost commits, and whether one was accepted. */
  earlier: Map<string, boolean>
  /** The database has just lost commits: attempts at what was requested until now may be lost with them. */
  forget(): void
  close(): Promise<void>
}

/** Everything that can happen to a policy, as webhooks choose it. */
const LIFECYCLE_TYPES = [
  ...['created', 'paused', 'resumed', 'completed', 'deleted', 'due_soon', 'overdue', 'expired'],
].map(name => `subscription.${name}`)

const EXPECTATION_TYPES = ['paid', 'underpaid', 'overpaid', 'expired', 'reopened'].map(
  name => `expectation.${name}`,
)

/** The `number`th request with this id is answered so. 0: cut off. */
function statusOf(behaviour: EndpointBehaviour, messageId: string, number: number): number {
  if (behaviour === 'dead') return number % 2 === 0 ? 0 : 503
  if (behaviour !== 'flaky') return 200
  // One message in six needs a second try, one a third: not so many that a breaker would open.
  const sixth = parseInt(messageId.slice(-2), 16) % 6
  return number > (sixth > 2 ? 0 : sixth) ? 200 : number % 2 === 0 ? 500 : 0
}

async function openEndpoint(
  behaviour: EndpointBehaviour,
  checker: CommitChecker,
): Promise<Omit<Endpoint, 'gateway' | 'secret' | 'storedBefore'>> {
  const receiver = await openReceiver()
  const answers = new Map<string, number[]>()
  const earlier = new Map<string, boolean>()
  const endpoint = {
    behaviour,
    webhookId: 0,
    receiver,
    answers,
    earlier,
    forget() {
      for (const [id, given] of answers) earlier.set(id, earlier.get(id) || given.includes(200))
      answers.clear()
    },
    close: () => receiver.close(),
  }
  receiver.answer((request: ReceivedRequest): ReceiverAnswer => {
    const messageId = String(request.headers['webhook-id'])
    const given = answers.get(messageId) ?? []
    answers.set(messageId, given)
    const status = statusOf(behaviour, messageId, given.length + 1)
    given.push(status)
    checker.checkRequest(endpoint.webhookId, messageId, given.length)
    if (behaviour === 'final') checker.checkFinal(endpoint.webhookId, messageId)
    if (status === 0) return 'close'
    return { status, ...(behaviour === 'slow' && { delayMs: 400 }) }
  })
  return endpoint
}

/** One request; the answer may be lost with the process that gives it. */
export async function post(url: string, body: unknown, token?: string): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      // A late process would send over a connection that the edge has closed as idle.
      connection: 'close',
      ...(token && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(10_000),
  })
}

/** A token, as a gateway's owner gets one. */
export async function signIn(
  baseUrl: string,
  { address, authority }: Pick<PlannedGateway, 'address' | 'authority'>,
): Promise<string> {
  const ask = async (path: string, body: unknown): Promise<{ nonce?: string; token?: string }> => {
    const response = await post(`${baseUrl}/v1/gateway/${address}/auth/${path}`, body).catch(() => undefined)
    const text = response?.ok ? await response.text().catch(() => '{}') : '{}'
    return JSON.parse(text) as { nonce?: string; token?: string }
  }
  for (;;) {
    const { nonce } = await ask('challenge', {})
    if (nonce !== undefined) {
      const signature = bs58.encode(sign(null, Buffer.from(nonce, 'utf8'), authority.privateKey))
      const { token } = await ask('verify', { signer: authority.publicKey, signature, nonce })
      if (token !== undefined) return token
    }
    await sleep(200)
  }
}

/**
 * Opens and registers the endpoints of every gateway. Nothing is broken yet: what is refused, is an error, and an API that is too busy
 * is asked again.
 */
export async function openEndpoints(
  baseUrl: string,
  gateways: readonly PlannedGateway[],
  checker: CommitChecker,
): Promise<Endpoint[]> {
  const endpoints: Endpoint[] = []
  for (const gateway of gateways) {
    if (gateway.endpoints.length === 0) continue
    const token = await signIn(baseUrl, gateway)
    for (const behaviour of gateway.endpoints) {
      const opened = await openEndpoint(behaviour, checker)
      const choices = {
        gateway_pubkey: gateway.address,
        endpoint_url: opened.receiver.url,
        format: 'standard',
        ...(behaviour.endsWith('final') && { finality: 'finalized' }),
        ...(behaviour === 'healthy' && { eventTypes: ['payment.executed', 'payment.retracted'] }),
        ...(behaviour === 'lifecycle' && { eventTypes: LIFECYCLE_TYPES }),
        ...(isExpected(behaviour) && { eventTypes: EXPECTATION_TYPES }),
      }
      const register = () => post(`${baseUrl}/v1/webhooks`, choices, token)
      let response = await register()
      // Of a machine that is busy with other copies. Nothing was made then.
      for (; response.status === 503; response = await register()) await sleep(200)
      if (response.status !== 201) throw new Error(`POST /v1/webhooks: ${await response.text()}`)
      const { id, secret } = (await response.json()) as { id: number; secret: string }
      const [head] = await checker.query<{ position: string }>('select position::text from stream_head')
      const storedBefore = Number(head!.position)
      endpoints.push(Object.assign(opened, { webhookId: id, gateway: gateway.address, secret, storedBefore }))
    }
  }
  return endpoints
}
