// The AsyncAPI document: every message that crosses the border of the service without being an answer to a request.
// Its schemas are those that check what comes in, and that tests hold what goes out against.
import {
  CHAIN_SUBJECT,
  ChainMessageSchema,
  CONTROL_SCHEMAS,
  controlSubjectOf,
  DEFAULT_SUBJECT_PREFIX,
  PAYMENT_STREAM_PATH,
  REPLY_SCHEMAS,
  ResetMessageSchema,
  SERVER_EVENT_SCHEMAS,
  SOCKET_PATH,
  SubscribeRequest,
  UnsubscribeRequest,
} from '@payment-tracking/contracts'
import type { TSchema } from 'typebox'
import { STREAM_PATH, StreamHeadMessage, StreamRecord } from '../stream/add-stream.js'
import { describeWebhooks } from './describe-webhooks.js'
import type { JSONObject } from './json-object.js'
import { withComponents } from './openapi-document.js'

const DESCRIPTION = `What the service tells without being asked each time, and what indexers tell it. REST is in \`/openapi.json\`.

**Anyone can write any memo.** A payment that carries your tracking ID proves nothing by itself: check
recipient, token mint and amount before you ship.`

/** Who speaks, as the service sees it. */
type Action = 'send' | 'receive'

interface Message {
  action: Action
  payload: TSchema | JSONObject
  summary: string
  headers?: JSONObject
  /** the payload of the answer to it */
  reply?: TSchema
}

interface Channel {
  address: string | null
  title: string
  description: string
  servers: string[]
  messages: Record<string, Message>
  more?: JSONObject
}

const SOCKET_SUMMARIES: Record<keyof typeof SERVER_EVENT_SCHEMAS, string> = {
  payment: 'A payment of a subscribed tracking ID was stored',
  retraction: 'The finalized chain does not hold a payment that was told',
  lifecycle: 'Something happened to a policy, for those who subscribed with `events: true`',
  expectation: 'The state of an expected payment changed, for those who subscribed with `expectation`',
  ack: 'A subscription begins or has ended',
  error: 'A request was refused; the socket stays connected',
  refused: 'In place of `error`: no seat for a client that subscribed without a callback',
  reconnect: 'This pod stops: reconnect within `afterMs`',
}

const sends = (schemas: Readonly<Record<string, TSchema>>, summaries: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(schemas).map(([name, payload]) => [
      name,
      { action: 'send' as const, payload, summary: summaries[name]! },
    ]),
  )

interface DescribedWebhook {
  post: {
    summary: string
    description: string
    parameters: { name: string; description: string; schema: JSONObject }[]
    requestBody: { content: { 'application/json': { schema: TSchema } } }
  }
}

/** The notifications, as the OpenAPI document describes them. */
const webhookMessages = (): Record<string, Message> =>
  Object.fromEntries(
    Object.entries(describeWebhooks() as unknown as Record<string, DescribedWebhook>).map(
      ([type, { post }]) => [
        type,
        {
          action: 'send',
          payload: post.requestBody.content['application/json'].schema,
          summary: `${post.summary}. ${post.description}`,
          headers: {
            type: 'object',
            required: post.parameters.map(({ name }) => name),
            properties: Object.fromEntries(
              post.parameters.map(({ name, description, schema }) => [name, { ...schema, description }]),
            ),
          },
        },
      ],
    ),
  )

const CONTROL_SUMMARIES: Record<keyof typeof CONTROL_SCHEMAS, string> = {
  finalized: 'Every event up to a slot is final',
  retracted: 'A transaction is not on the finalized chain',
  gap: 'What the publisher could not read',
  funds: 'What the nodes see of a token account',
}

const channels = (): Record<string, Channel> => ({
  socket: {
    address: SOCKET_PATH,
    title: 'Payments of tracking IDs',
    description:
      'Socket.IO v4, websocket transport only. A message here is an event: its name, and its one argument. `subscribe` and `unsubscribe` take a callback, which gets the reply.',
    servers: ['websocket'],
    messages: {
      subscribe: {
        action: 'receive',
        payload: SubscribeRequest,
        summary: 'Asks for the payments of a tracking ID, and for those that were missed',
        reply: REPLY_SCHEMAS.subscribe,
      },
      unsubscribe: {
        action: 'receive',
        payload: UnsubscribeRequest,
        summary: 'Ends a subscription',
        reply: REPLY_SCHEMAS.unsubscribe,
      },
      ...sends(SERVER_EVENT_SCHEMAS, SOCKET_SUMMARIES),
    },
  },
  paymentStream: {
    address: PAYMENT_STREAM_PATH,
    title: 'Payments of one tracking ID',
    description:
      'Server-sent events, `GET` with `trackingId` and optionally `recipient`, `since`. A message here is `data` of an event, its name is `event`; `id` is `<epoch>.<seq>` and comes back as `Last-Event-ID`, or as the parameter `lastEventId`.',
    servers: ['http'],
    messages: sends(
      {
        payment: SERVER_EVENT_SCHEMAS.payment,
        retraction: SERVER_EVENT_SCHEMAS.retraction,
        reset: ResetMessageSchema,
      },
      { ...SOCKET_SUMMARIES, reset: 'The id is of another database: all payments follow' },
    ),
  },
  eventStream: {
    address: STREAM_PATH,
    title: 'All events',
    description:
      'A plain WebSocket, for back offices. One head, then one record a message; filters and `since` are in `/openapi.json`.',
    servers: ['websocket'],
    messages: sends(
      { head: StreamHeadMessage, event: StreamRecord },
      { head: 'Where the stream begins', event: 'An event was stored' },
    ),
  },
  webhooks: {
    address: null,
    title: 'Webhooks',
    description:
      'POST to the `endpointUrl` that a gateway registered, signed as Standard Webhooks say. Of formats other than `standard`, the guide tells.',
    servers: ['receiver'],
    messages: webhookMessages(),
  },
  chainEvents: {
    address: CHAIN_SUBJECT,
    title: 'Events of the chain',
    description: 'JetStream, stream `CHAIN_EVENTS`. What an indexer publishes.',
    servers: ['nats'],
    messages: {
      chainEvent: { action: 'receive', payload: ChainMessageSchema, summary: 'An event of the program' },
    },
    more: {
      parameters: { eventName: { description: "as in the program's IDL", examples: ['PaymentRecord'] } },
    },
  },
  ...Object.fromEntries(
    Object.entries(CONTROL_SCHEMAS).map(([kind, payload]) => [
      `control-${kind}`,
      {
        address: controlSubjectOf(DEFAULT_SUBJECT_PREFIX, kind),
        title: `Control: ${kind}`,
        description: 'On the same stream. Never served as an event.',
        servers: ['nats'],
        messages: {
          [kind]: {
            action: 'receive' as const,
            payload,
            summary: CONTROL_SUMMARIES[kind as keyof typeof CONTROL_SCHEMAS],
          },
        },
      },
    ]),
  ),
})

const ref = (...path: string[]): JSONObject => ({ $ref: `#/${path.join('/')}` })
const replyOf = (name: string): string => `${name}Reply`

function describeChannel({ address, title, description, servers, messages, more }: Channel): JSONObject {
  const described = Object.entries(messages).flatMap(([name, { payload, summary, headers, reply }]) => [
    [name, { name, contentType: 'application/json', summary, ...(headers && { headers }), payload }],
    ...(reply
      ? [
          [
            replyOf(name),
            { name: replyOf(name), summary: `The argument of the callback of \`${name}\``, payload: reply },
          ],
        ]
      : []),
  ])
  return {
    address,
    title,
    description,
    servers: servers.map(name => ref('servers', name)),
    messages: Object.fromEntries(described) as JSONObject,
    ...more,
  }
}

function describeOperations(name: string, { messages }: Channel): [string, JSONObject][] {
  return Object.entries(messages).map(([event, { action, summary, reply }]) => [
    `${action}-${name}-${event}`.replace(/[^\w-]/g, '_'),
    {
      action,
      channel: ref('channels', name),
      summary,
      messages: [ref('channels', name, 'messages', event)],
      ...(reply && {
        reply: {
          channel: ref('channels', name),
          messages: [ref('channels', name, 'messages', replyOf(event))],
        },
      }),
    },
  ])
}

/** The document, but for its servers, which depend on who asks. */
export function buildAsyncApi(version: string): JSONObject {
  const all = Object.entries(channels())
  const document = {
    asyncapi: '3.0.0',
    id: 'urn:payment-tracking',
    info: {
      title: 'Payment tracking: messages',
      version,
      description: DESCRIPTION,
      contact: { name: 'The operator of this server' },
      license: { name: 'Proprietary' },
    },
    defaultContentType: 'application/json',
    channels: Object.fromEntries(all.map(([name, channel]) => [name, describeChannel(channel)])),
    operations: Object.fromEntries(all.flatMap(([name, channel]) => describeOperations(name, channel))),
  }
  // The schemas are read as JSON: TypeBox keeps marks of its own in them.
  return withComponents(JSON.parse(JSON.stringify(document)) as JSONObject)
}

/** @param baseUrl by which a client reached this server */
export function serversOf(baseUrl: string): JSONObject {
  const { host, protocol } = new URL(baseUrl, 'https://this.server')
  const isTls = protocol === 'https:'
  return {
    http: { host, protocol: isTls ? 'https' : 'http', description: 'this server' },
    websocket: { host, protocol: isTls ? 'wss' : 'ws', description: 'this server' },
    receiver: { host: 'shop.example', protocol: 'https', description: "a gateway's own server" },
    nats: { host: 'nats.internal:4222', protocol: 'nats', description: 'inside of the deployment' },
  }
}
