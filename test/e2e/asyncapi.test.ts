// Every message that the AsyncAPI document describes is sent for real and fits its schema, and nothing is sent that it does not
// describe: unknown events and unknown fields are faults here.
import { once } from 'node:events'
import { generateKeyPairSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { CONTROL_SCHEMAS, DEFAULT_PROGRAM_ID, type ServerToClientEvents } from '@payment-tracking/contracts'
import {
  EXPECTATION_TYPES,
  LIFECYCLE_TYPES,
  NOTICE_TYPES,
  readControlMessage,
  readMessage,
  renderExpectationMessage,
  renderLifecycleMessage,
  renderPaymentMessage,
  renderRetractionMessage,
  renderTestMessage,
  renderWebhookNotice,
  WEBHOOK_EVENT_TYPES,
  type DeliveryMessage,
} from '@payment-tracking/domain'
import { cancelExpectation, createExpectation } from '@payment-tracking/store/admin'
import { readExpectation } from '@payment-tracking/store/reads'
import { startService, waitFor, workAsIngest } from '@payment-tracking/testkit'
import { Ajv, type ValidateFunction } from 'ajv'
import t from 'tap'
import { WebSocket } from 'ws'
import { openStream } from '../../services/realtime/test/open-stream.js'
import { usePods, type Client } from '../../services/realtime/test/use-pods.js'
import { buildPolicyWriter, lifecycleOf } from '../../services/realtime/test/write-policies.js'
import { committedPaymentsOf } from '../../services/realtime/test/write-payments.js'

interface Schema {
  $ref?: string
  properties?: object
  additionalProperties?: boolean
}
interface Document {
  channels: Record<string, { messages: Record<string, { payload: Schema }> }>
  components: { schemas: Record<string, Schema> }
}

/** Objects that do not say that they are open are closed: a field that is not described is a fault. */
function close(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(close)
  if (typeof value !== 'object' || value === null) return value
  const closed = Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, close(inner)]))
  return 'properties' in value && !('additionalProperties' in value)
    ? { ...closed, additionalProperties: false }
    : closed
}

/** Judges messages by the document, and knows which of its messages came. */
class Judge {
  readonly #ajv = new Ajv({ strict: false, validateFormats: false })
  readonly #validators = new Map<string, ValidateFunction>()
  readonly seen = new Set<string>()
  readonly #document: Document

  constructor(document: Document) {
    this.#document = document
    this.#ajv.addSchema({ $id: 'doc', ...(close({ components: document.components }) as object) })
  }

  /** @returns what is wrong with the message; undefined when it fits */
  problem(channel: string, name: string, message: unknown): string | undefined {
    const described = this.#document.channels[channel]?.messages[name]
    if (!described) return `${channel} has no message ${name}`
    this.seen.add(`${channel} ${name}`)
    const isValid = this.#validatorOf(`${channel} ${name}`, described.payload)
    return isValid(message)
      ? undefined
      : `${channel} ${name}: ${this.#ajv.errorsText(isValid.errors)}: ${JSON.stringify(message)}`
  }

  /** Compiled once: to compile takes longer than all that is judged. */
  #validatorOf(name: string, payload: Schema): ValidateFunction {
    const known = this.#validators.get(name)
    if (known) return known
    const text = JSON.stringify(close(payload)).replaceAll('"#/', '"doc#/')
    const compiled = this.#ajv.compile(JSON.parse(text) as object)
    this.#validators.set(name, compiled)
    return compiled
  }

  get described(): string[] {
    return Object.entries(this.#document.channels).flatMap(([channel, { messages }]) =>
      Object.keys(messages).map(name => `${channel} ${name}`),
    )
  }
}

const jwk = { ...generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }), kid: 'test' }

t.test('what is described is sent, and what is sent is described', async t => {
  const pods = await usePods(t, { MAX_CONNECTIONS_PER_TRACKING_ID: '1', 'realtime.longestDrainMs': '50' })
  const [pod, api] = await Promise.all([
    pods.start(),
    startService(t, 'api', {
      ...pods.env,
      JWT_PRIVATE_KEYS: JSON.stringify([jwk]),
      RATE_LIMIT_MAX: '100000',
    }),
  ])
  const { address } = (await api.waitForLog('http.listening')) as unknown as { address: string }
  const judge = new Judge((await (await fetch(`${address}/asyncapi.json`)).json()) as Document)
  const faults: (string | undefined)[] = []
  const hear = (channel: string, name: string, message: unknown) =>
    void faults.push(judge.problem(channel, name, message))

  const hearAll = (client: Client) =>
    client.onAny((event: keyof ServerToClientEvents, message: unknown) => hear('socket', event, message))
  const ask = async (client: Client, event: 'subscribe' | 'unsubscribe', request: unknown) => {
    hear('socket', `${event}Reply`, await client.timeout(30_000).emitWithAck(event, request))
  }
  const [client, other] = [pod.connect({ reconnection: false }), pod.connect({ reconnection: false })]
  hearAll(client)
  hearAll(other)
  const terms = { gateway: 'gateway', trackingId: 'order', recipient: 'till', tokenMint: 'token' }
  const { record } = await createExpectation(pods.store, {
    ...terms,
    amount: 2n ** 64n - 1n,
    expiresAt: null,
    reference: 'cart-19',
  })
  workAsIngest(t, pods.store)
  await waitFor(async () => !(await readExpectation(pods.store, record.id))!.counting)
  const requests = [
    { trackingId: 'order', events: true, expectation: record.id },
    { trackingId: 'order', since: 0, events: true, expectation: record.id },
  ]
  for (const request of requests) {
    hear('socket', 'subscribe', request)
    await ask(client, 'subscribe', request)
  }
  await ask(other, 'subscribe', { trackingId: 'order' })
  other.emit('subscribe', { trackingId: 'order' })
  await ask(other, 'subscribe', { trackingId: '' })
  const events = new WebSocket(`${address.replace('http', 'ws')}/v1/events/stream`)
  t.teardown(() => events.terminate())
  let heads = 0
  events.on('message', (data: Buffer) => {
    const message = JSON.parse(data.toString()) as { type?: string }
    hear('eventStream', message.type === 'head' ? 'head' : 'event', message)
    if (message.type === 'head') heads++
  })
  await waitFor(() => heads === 1)
  await pods.pay({ trackingId: 'stream' })
  const stream = await openStream(t, pod.url, { trackingId: 'stream' }, { lastEventId: 'another.1' })
  await stream.waitForSeq(1)
  await pods.pay({ trackingId: 'order' })
  await pods.announce({ payments: [], retractions: await committedPaymentsOf(pods.store, 'order', [1]) })
  await pods.announce({ payments: [], retractions: await committedPaymentsOf(pods.store, 'stream', [1]) })
  const { happen } = buildPolicyWriter(pods.database.pool)
  const policy = { address: 'policy', trackingId: 'order', start: await happen() }
  await pods.announce({ payments: [], lifecycles: [lifecycleOf(policy, 'created', policy.start)] })
  await cancelExpectation(pods.store, 'gateway', record.id)
  await waitFor(() => judge.seen.has('socket expectation'))
  await waitFor(() => judge.seen.has('socket lifecycle') && judge.seen.has('socket retraction'))
  await waitFor(() => stream.events.some(({ event }) => event === 'retraction'))
  for (const { event, data } of stream.events) hear('paymentStream', event, data)
  await ask(client, 'subscribe', { trackingId: 'order', since: 0, events: true })
  hear('socket', 'unsubscribe', { trackingId: 'order' })
  await ask(client, 'unsubscribe', { trackingId: 'order' })
  await waitFor(() => judge.seen.has('eventStream event'))
  const left = once(client as never, 'disconnect')
  await pod.service.stop('SIGTERM')
  await left

  const [payment] = await committedPaymentsOf(pods.store, 'order', [1])
  const at = new Date()
  const lifecyclePolicy = {
    address: 'policy',
    incarnationStart: policy.start,
    family: 'regular',
    policyId: 1,
    gateway: 'gateway',
    recipient: null,
    trackingId: 'order',
    tokenMint: null,
    payer: null,
    status: 'active',
    paymentCount: 1n,
    totalPaid: 2n ** 64n - 1n,
    nextPaymentDue: null,
  }
  const webhook = { webhookId: 1n, gateway: 'gateway', endpointUrl: 'https://shop.example/', at }
  const sent: DeliveryMessage[] = [
    renderPaymentMessage(payment!),
    renderRetractionMessage(payment!),
    ...LIFECYCLE_TYPES.map(type =>
      renderLifecycleMessage(lifecyclePolicy, {
        type,
        key: 'key',
        at: at.toISOString(),
        dueAt: 1n,
        cause: null,
      }),
    ),
    ...NOTICE_TYPES.map(type => renderWebhookNotice({ ...webhook, type, failingSince: at, reason: null })),
    ...EXPECTATION_TYPES.map(type =>
      renderExpectationMessage(type, record, { over: 'all', changes: 1n, position: null }),
    ),
    renderTestMessage({ ...webhook, format: 'standard', nonce: 'nonce' }),
  ]
  for (const { type, body } of sent) hear('webhooks', type, JSON.parse(body))
  t.strictSame(
    judge.described.filter(name => name.startsWith('webhooks ')),
    [...WEBHOOK_EVENT_TYPES, 'webhook.test'].map(type => `webhooks ${type}`),
    'what a webhook can choose is described',
  )

  const fixtures = readFileSync(new URL('../fixtures/messages.jsonl', import.meta.url), 'utf8')
    .trim()
    .split('\n')
  for (const line of fixtures) {
    const settings = { programId: DEFAULT_PROGRAM_ID, requireProgramId: false }
    // What ingest takes is described. What it refuses may fit: `data` of each event is its IDL's.
    if (readMessage(Buffer.from(line), settings).ok) hear('chainEvents', 'chainEvent', JSON.parse(line))
  }
  const [SIGNATURE, KEY] = ['1'.repeat(64), '1'.repeat(32)]
  for (const [kind, given] of Object.entries({
    finalized: { slot: 7 },
    retracted: { signature: SIGNATURE, slot: 7 },
    gap: { fromSlot: 1, toSlot: 2, reason: 'away', bytes: 'AAAA', closed: false },
    funds: {
      tokenAccount: KEY,
      slot: 7,
      exists: true,
      owner: KEY,
      mint: KEY,
      balance: '18446744073709551615',
      delegate: null,
      allowance: 0,
      frozen: false,
      nodes: 2,
    },
  }))
    hear(`control-${kind}`, kind, given)

  t.same(faults.filter(Boolean), [])
  const unseen = judge.described.filter(name => !judge.seen.has(name))
  t.same(unseen, [], 'all that is described was sent')

  const envelope = JSON.parse(fixtures[0]!) as Record<string, unknown>
  for (const [name, wrong] of [
    ['slot', 0],
    ['slot', 1.5],
    ['slot', undefined],
    ['signature', 'short'],
    ['index', -1],
    ['index', 2 ** 32],
    ['transaction_index', 'x'],
    ['commitment', 'maybe'],
    ['event_name', 'a b'],
    ['event_name', ''],
    ['timestamp', undefined],
    ['data', []],
  ] as const) {
    const given = { ...envelope, [name]: wrong }
    const bytes = Buffer.from(JSON.stringify(given))
    const { ok } = readMessage(bytes, { programId: DEFAULT_PROGRAM_ID, requireProgramId: false })
    t.notOk(ok, `ingest refuses ${name} ${String(wrong)}`)
    t.ok(judge.problem('chainEvents', 'chainEvent', JSON.parse(bytes.toString())), 'and so does the schema')
  }
  for (const kind of Object.keys(CONTROL_SCHEMAS)) {
    t.notOk(readControlMessage(kind, Buffer.from('{"slot":"x"}')).ok)
    t.ok(judge.problem(`control-${kind}`, kind, { slot: 'x' }))
  }
})
