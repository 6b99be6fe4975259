import { randomUUID } from 'node:crypto'
import { controlSubjectOf, DEFAULT_SUBJECT_PREFIX, visibleText } from '@payment-tracking/contracts'
import {
  deriveGateway,
  derivePaymentsDelegate,
  EXPECTATION_TYPES,
  NOTICE_TYPES,
  WEBHOOK_EVENT_TYPES,
  type ExpectationType,
  type NoticeType,
  type WebhookEventType,
} from '@payment-tracking/domain'
import { readArguments, refuseArguments } from '@payment-tracking/runtime'
import {
  buildChain,
  type Chain,
  type ChainMessage,
  type ChainUserPayment,
  buildAddress,
} from '../../chain/index.js'
import { calledAs } from '../called-as.js'
import { findStack } from '../find-stack.js'
import { openPublisher } from '../open-publisher.js'
import { USDC } from '../tokens.js'
import { openGatewaySession } from './gateway-session.js'
import { keyFileOf, readKeyFile } from './key-file.js'
import { programIdOf } from './program-id.js'
import { waitUntilPaid } from './wait-until-paid.js'
import { waitUntilStored } from './wait-until-stored.js'
import { waitUntilSent } from './wait-until-sent.js'

function isNotice(type: string): type is NoticeType {
  return (NOTICE_TYPES as readonly string[]).includes(type)
}

const isExpectation = (type: string): type is ExpectationType =>
  (EXPECTATION_TYPES as readonly string[]).includes(type)

/** Until when a payment is expected that does not come. */
const SOON_MS = 2_000

/** What a single round of messages cannot cause: the end of a notified risk. */
type Untriggered = NoticeType | 'subscription.at_risk_cleared'
type TriggerType = Exclude<WebhookEventType, Untriggered> | 'webhook.test'

/** Notices follow from the failures of another endpoint. */
const TYPES: readonly TriggerType[] = [
  ...WEBHOOK_EVENT_TYPES.filter(
    (type): type is Exclude<WebhookEventType, Untriggered> =>
      !isNotice(type) && type !== 'subscription.at_risk_cleared',
  ),
  'webhook.test',
]

const USAGE = `usage: ${calledAs('trigger', 'TYPE [--tracking-id ID] [--key FILE]')}
  Causes an event of a gateway on the running stack, so that its webhooks tell of it.
  TYPE              ${TYPES.join('\n                    ')}
  --tracking-id ID  the memo of the payment or policy (default: a new one)
  --key FILE        the key of the gateway's authority (default: gateway-key.json in DATA_DIR)`

const isType = (text: string): text is TriggerType => (TYPES as readonly string[]).includes(text)

/**
 * `npm run trigger`: publishes what the chain would say.
 * @returns the exit code
 * @throws KeyFileError, NoStackError
 */
export async function trigger(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const options = { 'tracking-id': { type: 'string' }, key: { type: 'string' } } as const
  const { values, positionals } = readArguments({ usage: USAGE, options, positionals: 1 }, args)
  const [type] = positionals
  if (type === undefined) return refuseArguments(USAGE, 'a type of event is missing')
  if (!isType(type)) return refuseArguments(USAGE, `"${type}" is no type of event`)
  const stack = findStack(env)
  const key = readKeyFile(keyFileOf(values.key, env))
  const programId = programIdOf(env)
  const gateway = deriveGateway(programId, key.publicKey)
  if (type === 'webhook.test') return testWebhooks(stack.baseUrl, gateway, key)
  const trackingId = values['tracking-id'] ?? `trigger-${randomUUID().slice(0, 8)}`
  if (isExpectation(type)) {
    const session = await openGatewaySession(stack.baseUrl, gateway, key)
    const expiresAt =
      type === 'expectation.expired' ? new Date(Date.now() + SOON_MS).toISOString() : undefined
    const terms = { trackingId, recipient: key.publicKey, tokenMint: USDC.mint, amount: AMOUNT.toString() }
    await session.ask('POST', `/v1/gateway/${gateway}/expectations`, { ...terms, expiresAt })
  }
  const chain = buildChain({ seed: `trigger/${randomUUID()}`, programId })
  const publisher = await openPublisher({ ...env, NATS_URL: stack.natsUrl })
  try {
    const party = { gateway, owner: key.publicKey, trackingId }
    const prefix = env.SUBJECT_PREFIX?.trim() || DEFAULT_SUBJECT_PREFIX
    for (const message of await eventsFor(type, chain, { ...party, prefix, programId })) {
      await publisher.publish(JSON.stringify(message))
      if (!('signature' in message)) continue
      await waitUntilStored(stack.baseUrl, message.signature)
      if (type !== 'payment.retracted' && type !== 'expectation.reopened') continue
      const session = await openGatewaySession(stack.baseUrl, gateway, key)
      if (type === 'payment.retracted') await waitUntilSent(session, message.signature)
      else await waitUntilPaid(session, gateway, trackingId)
    }
  } finally {
    await publisher.close()
  }
  console.log(`caused ${type} for ${visibleText(trackingId)}`)
  return 0
}

async function testWebhooks(
  baseUrl: string,
  gateway: string,
  key: Parameters<typeof openGatewaySession>[2],
): Promise<number> {
  const session = await openGatewaySession(baseUrl, gateway, key)
  const webhooks = await session.ask<{ id: number }[]>('GET', '/v1/webhooks?active_only=true')
  if (webhooks.length === 0)
    throw new Error(`the gateway has no active webhook; ${calledAs('listen')} makes one`)
  for (const { id } of webhooks) await session.ask('POST', `/v1/webhooks/${id}/test`)
  console.log(`sent webhook.test to ${webhooks.length} ${webhooks.length === 1 ? 'webhook' : 'webhooks'}`)
  return 0
}

interface Party {
  gateway: string
  /** is paid */
  owner: string
  trackingId: string
}

/** A message of the chain, or a line that names its own subject (docs/message-format.md). */
type Line = ChainMessage | { subject: string; message: object }

const DAY = 86_400
const AMOUNT = 5_000_000n

/** The events that lead to the wanted message, in the order of the chain. */
async function eventsFor(
  type: Exclude<TriggerType, 'webhook.test'>,
  chain: Chain,
  { prefix, programId, gateway, owner, trackingId }: Party & { prefix: string; programId: string },
): Promise<Line[]> {
  const now = Math.floor(Date.now() / 1_000)
  const payer = await chain.openUserPayment(USDC.mint)
  const subscribe = async (terms: { nextPaymentDue?: number; maxRenewals?: number } = {}) =>
    chain.openPolicy({ address: gateway } as Parameters<Chain['openPolicy']>[0], payer, {
      trackingId,
      recipient: owner,
      amount: AMOUNT,
      nextPaymentDue: now + 30 * DAY,
      ...terms,
    })
  switch (type) {
    case 'payment.executed':
      return [payOnce(chain, { gateway, owner, trackingId })]
    case 'expectation.paid':
      return [payOnce(chain, { gateway, owner, trackingId })]
    case 'expectation.underpaid':
      return [payOnce(chain, { gateway, owner, trackingId }, AMOUNT - 1n)]
    case 'expectation.overpaid':
      return [payOnce(chain, { gateway, owner, trackingId }, AMOUNT + 1n)]
    case 'expectation.expired':
      return []
    case 'expectation.reopened':
    case 'payment.retracted': {
      const payment = payOnce(chain, { gateway, owner, trackingId })
      const { signature, slot } = payment
      return [payment, { subject: controlSubjectOf(prefix, 'retracted'), message: { signature, slot } }]
    }
    case 'subscription.created':
      return [payer.created, (await subscribe()).created]
    case 'subscription.paused': {
      const policy = await subscribe()
      return [payer.created, policy.created, chain.changeStatus(policy, 'Active', 'Paused')]
    }
    case 'subscription.resumed': {
      const policy = await subscribe()
      const pause = chain.changeStatus(policy, 'Active', 'Paused')
      return [payer.created, policy.created, pause, chain.changeStatus(policy, 'Paused', 'Active')]
    }
    case 'subscription.completed': {
      const policy = await subscribe({ maxRenewals: 1 })
      return [payer.created, policy.created, chain.pay(policy)]
    }
    case 'subscription.deleted': {
      const policy = await subscribe()
      return [payer.created, policy.created, chain.deletePolicy(policy)]
    }
    case 'subscription.due_soon':
      return [payer.created, (await subscribe({ nextPaymentDue: now + DAY })).created]
    case 'subscription.at_risk': {
      const policy = await subscribe({ nextPaymentDue: now + DAY })
      return [payer.created, policy.created, emptyAccount(prefix, programId, payer, policy.created.slot)]
    }
    case 'subscription.overdue':
      return [payer.created, (await subscribe({ nextPaymentDue: now - DAY })).created]
    case 'subscription.expired': {
      const policy = await subscribe()
      const once = { amount: String(AMOUNT), due_date: String(now - 2 * DAY), expiry_date: String(now - DAY) }
      policy.created.data.policy_type = { variant: 'OneTime', ...once }
      return [payer.created, policy.created]
    }
  }
}

/** What nodes would see of a payer who has nothing. */
const emptyAccount = (prefix: string, programId: string, payer: ChainUserPayment, slot: number): Line => ({
  subject: controlSubjectOf(prefix, 'funds'),
  message: {
    tokenAccount: payer.created.data.token_account,
    slot,
    exists: true,
    owner: payer.owner,
    mint: payer.tokenMint,
    balance: '0',
    delegate: derivePaymentsDelegate(programId),
    allowance: String(AMOUNT),
    frozen: false,
    nodes: 1,
  },
})

const payOnce = (chain: Chain, { gateway, owner, trackingId }: Party, amount = AMOUNT): ChainMessage =>
  chain.payDirectly({
    gateway,
    trackingId,
    recipient: owner,
    amount,
    payer: buildAddress(`payer of ${trackingId}`),
    tokenMint: USDC.mint,
  })
