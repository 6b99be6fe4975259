// Each kind of message and request, once, for the gateway with the long history.
import type { ChainMessage } from '@payment-tracking/testkit'
import { askJson } from '../ask-json.js'
import type { Bounds } from './open-bounds.js'

export interface Act {
  name: string
  do(bounds: Bounds): Promise<unknown>
  /** default: the message is stored and no work waits */
  isDone?(bounds: Bounds): Promise<boolean>
  /** counts that must be zero afterwards, as SQL */
  wrong?(bounds: Bounds): string[]
}

const PAST = '2026-03-01T12:00:05.000Z'
/** How long an answer may take; on a machine that does other things, ten times as long. */
const MOST_MS = process.env.BOUNDS_TIMES === 'shown' ? 10_000 : 1_000
const stored = new WeakMap<Bounds, { signature: string; slot: number }>()

export async function send(bounds: Bounds, message: ChainMessage): Promise<void> {
  stored.set(bounds, message)
  await bounds.publish(message)
}
/** A wallet whose policies have addresses without a history. */
async function openWallet(bounds: Bounds) {
  const wallet = await bounds.now.openUserPayment()
  await send(bounds, wallet.created)
  return wallet
}
export const retract = async (bounds: Bounds, { signature, slot }: { signature: string; slot: number }) => {
  await bounds.publishControl('retracted', { signature, slot })
}
export const isRetracted = async (bounds: Bounds, signature: string): Promise<boolean> =>
  (await bounds.count('select count(*) from events where signature = $1 and retracted_at is null', [
    signature,
  ])) === 0 && (await bounds.isIdle())
export const isSettled = async (bounds: Bounds): Promise<boolean> => {
  const message = stored.get(bounds)
  return (message === undefined || (await bounds.isStored(message))) && (await bounds.isIdle())
}

/** The row of a policy and the figures of its gateway, against its events. */
const sums = (policy: string, gateway: string): string[] => [
  `select count(*) from policies p where p.address = '${policy}' and (p.payment_count, p.total_paid) is distinct from
     (select (count(*), coalesce(sum(e.amount), 0)) from events e
       where e.payment_policy = p.address and e.amount is not null and e.retracted_at is null)`,
  `select count(*) from payment_stats s where s.gateway = '${gateway}' and s.span = 0 and s.count is distinct from
     (select count(*) from events e where e.gateway = s.gateway and e.amount is not null and e.retracted_at is null)`,
  `select count(*) from payment_token_stats s where s.gateway = '${gateway}' and s.span = 86400 and
     (s.count, s.total, s.min, s.max) is distinct from
     (select (count(*), sum(e.amount), min(e.amount), max(e.amount)) from events e
       where e.gateway = s.gateway and coalesce(e.token_mint, '') = s.token_mint and e.amount is not null and e.retracted_at is null
         and e.occurred_at >= s.start and e.occurred_at < s.start + interval '1 day')`,
]
const sumsOf = (which: keyof Bounds['policies']) => (bounds: Bounds) =>
  sums(bounds.policies[which].address, bounds.policies[which].gateway)

/** @returns the answer, which comes within a second */
export const request = async (
  bounds: Bounds,
  method: string,
  path: string,
  body?: unknown,
): Promise<string> => {
  const token = await tokenOf(bounds)
  const startedAt = performance.now()
  const { status, text } = await askJson(bounds.apiUrl + path, { method, token, body })
  const tookMs = performance.now() - startedAt
  if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text.slice(0, 300)}`)
  const isWhole = !path.includes('/export/')
  if (isWhole && tookMs > MOST_MS) throw new Error(`${method} ${path} took ${Math.round(tookMs)} ms`)
  return text
}
const tokens = new WeakMap<Bounds, Promise<string>>()
function tokenOf(bounds: Bounds): Promise<string> {
  const known = tokens.get(bounds) ?? bounds.signIn()
  tokens.set(bounds, known)
  return known
}

const answered = (name: string, method: string, path: (bounds: Bounds) => string, body?: unknown): Act => ({
  name,
  do: bounds => request(bounds, method, path(bounds), body),
  isDone: async () => Promise.resolve(true),
})
/** Streamed whole: it takes as long as it has rows, and nobody else waits. */
const exported = (kind: string): Act =>
  answered(
    `an export of ${kind}`,
    'GET',
    ({ gateway }) => `/v1/gateway/${gateway.address}/merchant/export/${kind}`,
  )
const openOf = (webhook: string): string =>
  `select count(*) from deliveries where webhook_id = ${webhook} and state in ('pending', 'waiting')`

const MISSED = `select max(id) from webhooks where endpoint_url like '%/missed'`

const [U64, I64, LEAST_I64] = ['18446744073709551615', '9223372036854775807', '-9223372036854775808']
const HOSTILE = [I64, LEAST_I64, '0'].flatMap(time => [
  {
    variant: 'Subscription',
    amount: U64,
    auto_renew: true,
    max_renewals: null,
    payment_frequency: { Custom: U64 },
    next_payment_due: time,
  },
  { variant: 'OneTime', amount: U64, due_date: time, expiry_date: time },
  { variant: 'UpTo', max_amount: U64, valid_after: time, deadline: time },
  {
    variant: 'PayAsYouGo',
    max_amount_per_period: U64,
    max_chunk_amount: U64,
    period_length_seconds: U64,
    current_period_start: time,
    current_period_total: U64,
    expiry_date: time,
  },
])

export const ACTS: Act[] = [
  {
    name: 'one payment of a pay-as-you-go policy is retracted',
    do: bounds =>
      retract(bounds, { signature: bounds.paid.metered.signatureOf(7), slot: bounds.paid.metered.slotOf(7) }),
    isDone: bounds => isRetracted(bounds, bounds.paid.metered.signatureOf(7)),
    wrong: sumsOf('metered'),
  },
  {
    name: 'a payment comes late for the same policy',
    do: bounds => {
      const message = bounds.now.pay(bounds.policies.metered)
      // Of the policy's only period: its sums move by their difference.
      message.data.timestamp = String(Date.parse(PAST) / 1000)
      return send(bounds, { ...message, slot: bounds.paid.metered.slotOf(3), timestamp: PAST })
    },
    wrong: sumsOf('metered'),
  },
  {
    name: 'the watermark makes payments final that a webhook waits for',
    do: bounds => bounds.publishControl('finalized', { slot: 4_000_000 }),
    isDone: async bounds =>
      (await bounds.count(
        `select count(*) from waiting_messages where webhook_id = ${bounds.finalized} and slot < 4000000`,
      )) === 0 && (await bounds.isIdle()),
    wrong: ({ finalized, policies }) => [
      `select count(*) - count(distinct d.event_id) from deliveries d where d.webhook_id = ${finalized}`,
      `select count(*) from events e where e.payment_policy = '${policies.final.address}' and e.amount is not null and e.seq > 1
         and not exists (select from deliveries d where d.event_id = e.id and d.webhook_id = ${finalized})`,
    ],
  },
  {
    name: 'a Created event comes after its payments',
    do: bounds => send(bounds, bounds.policies.late.created),
    wrong: bounds => [
      ...sumsOf('late')(bounds),
      `select count(*) from events where payment_policy = '${bounds.policies.late.address}' and amount is not null and
         (recipient is null or payer is null or token_mint is null)`,
      `select count(*) from waiting_messages where policy = '${bounds.policies.late.address}'`,
      `select count(*) - count(distinct d.event_id) from deliveries d where d.webhook_id = ${bounds.choosy}`,
    ],
  },
  {
    name: 'a user payment comes after the payments of its policy',
    do: bounds => send(bounds, bounds.unknown.created),
    wrong: bounds => [
      `select count(*) from events where payment_policy = '${bounds.policies.ownerless.address}' and amount is not null and
         (payer is null or token_mint is null)`,
      `select count(*) from waiting_messages where policy = '${bounds.policies.ownerless.address}'`,
    ],
  },
  {
    name: 'a policy that expires at the largest i64',
    do: async bounds => {
      const policy = await bounds.now.openPolicy(bounds.gateway, await openWallet(bounds), {
        trackingId: 'largest',
      })
      policy.created.data.policy_type = {
        variant: 'OneTime',
        amount: '18446744073709551615',
        due_date: '9223372036854775807',
        expiry_date: '9223372036854775807',
      }
      await send(bounds, policy.created)
    },
  },
  {
    name: 'a Created event is retracted',
    do: ({ policies, ...bounds }) => retract(bounds as Bounds, policies.late.created),
    isDone: bounds => isRetracted(bounds, bounds.policies.late.created.signature),
    wrong: bounds => [
      `select count(*) from events where payment_policy = '${bounds.policies.late.address}' and amount is not null and payer is not null`,
    ],
  },
  {
    name: 'a user payment is retracted',
    do: bounds => retract(bounds, bounds.unknown.created),
    isDone: bounds => isRetracted(bounds, bounds.unknown.created.signature),
  },
  {
    name: 'a status change',
    do: bounds => send(bounds, bounds.now.changeStatus(bounds.policies.metered, 'Active', 'Paused')),
  },
  { name: 'a policy ends', do: bounds => send(bounds, bounds.now.deletePolicy(bounds.policies.metered)) },
  answered(
    'GET payments/check',
    'GET',
    ({ gateway }) =>
      `/v1/payments/check?trackingId=metered&amount=1&recipient=${gateway.address}&tokenMint=${gateway.address}`,
  ),
  answered('GET events of a tracking ID', 'GET', () => '/v1/events?trackingId=metered&limit=100'),
  answered('GET onetime', 'GET', () => '/v1/onetime/metered?limit=100'),
  answered('GET statistics', 'GET', ({ gateway }) => `/v1/events/payments/stats?gateway=${gateway.address}`),
  answered(
    'GET subscriptions',
    'GET',
    ({ gateway }) => `/v1/subscriptions?gatewayPublicKey=${gateway.address}`,
  ),
  {
    ...answered('an endpoint is turned off', 'PUT', ({ endpoints }) => `/v1/webhooks/${endpoints[0]}`, {
      active: false,
    }),
    isDone: async bounds => (await bounds.count(openOf(bounds.endpoints[0]!))) === 0,
  },
  {
    ...answered('an endpoint is deleted', 'DELETE', ({ endpoints }) => `/v1/webhooks/${endpoints[1]}`),
    isDone: async bounds => (await bounds.count(openOf(bounds.endpoints[1]!))) === 0,
  },
  answered('an endpoint gets filters', 'PUT', ({ endpoints }) => `/v1/webhooks/${endpoints[2]}`, {
    filters: { trackingIdPrefix: 'x' },
  }),
  answered(
    'the secret of an endpoint is rotated',
    'POST',
    ({ endpoints }) => `/v1/webhooks/${endpoints[2]}/secret/rotate`,
  ),
  {
    name: 'a key is revoked',
    do: async bounds => {
      const made = await request(bounds, 'POST', '/v1/api-keys', { name: 'shop', scopes: ['webhooks:read'] })
      await request(bounds, 'DELETE', `/v1/api-keys/${(JSON.parse(made) as { id: number }).id}`)
    },
    isDone: () => Promise.resolve(true),
  },
  {
    name: 'a span of an endpoint is redelivered',
    do: async bounds => {
      const [webhook] = [bounds.endpoints[3]!]
      await bounds.pool.query(
        `update deliveries set state = 'failed', finished_at = now(), opened_at = now() - interval '1 h' where webhook_id = $1`,
        [webhook],
      )
      await request(bounds, 'POST', `/v1/webhooks/${webhook}/redeliver`, { since: '2026-01-01' })
    },
    isDone: async bounds => (await bounds.count(`select count(*) from work where kind = 'redeliver'`)) === 0,
    wrong: ({ endpoints }) => [
      `select count(*) from deliveries where webhook_id = ${endpoints[3]} and attempts_made = 0 and state = 'failed'`,
      `select count(*) from deliveries where webhook_id = ${endpoints[3]} and tries_allowed > 8`,
    ],
  },
  {
    name: 'an endpoint asks for what it missed',
    do: async bounds => {
      const { id } = JSON.parse(
        await request(bounds, 'POST', '/v1/webhooks', {
          gateway_pubkey: bounds.gateway.address,
          endpoint_url: `${bounds.receiverUrl}/missed`,
        }),
      ) as { id: number }
      const { rows } = await bounds.pool.query<{ since: Date }>(
        `select b.committed_at as since from ingest_batches b
           join events e on e.position between b.first_position and b.last_position where e.signature = $1`,
        [bounds.paid.final.signatureOf(1)],
      )
      await request(bounds, 'POST', `/v1/webhooks/${id}/replay-missing`, rows[0])
    },
    // It has looked at all, or sent as many as a day allows.
    isDone: async bounds =>
      (await bounds.count(
        `select (select count(*) from work where kind = 'replay' and state->>'endedAt' is null and state->>'goesOnAt' is null)
              + (select count(*) from deliveries where webhook_id = (${MISSED}) and state in ('pending', 'waiting'))`,
      )) === 0,
    wrong: () => [
      `select count(*) - count(distinct event_id) from deliveries where webhook_id = (${MISSED})`,
      `select count(*) from deliveries where webhook_id = (${MISSED}) and (state, attempts_made) <> ('delivered', 1)`,
      // Something was sent.
      `select (count(*) = 0)::int from deliveries where webhook_id = (${MISSED})`,
    ],
  },
  exported('payments'),
  exported('policies'),
  exported('subscribers'),
  exported('revenue'),
  {
    name: 'a policy is opened again at an address with a history',
    do: async bounds => {
      const { address } = bounds.policies.metered
      const again = await bounds.now.openPolicy(bounds.gateway, bounds.userPayment, { trackingId: 'again' })
      if (again.address !== address) throw new Error(`${again.address} is not ${address}`)
      await send(bounds, again.created)
    },
  },
  {
    name: 'policies with every number at its bounds',
    do: async bounds => {
      const wallet = await openWallet(bounds)
      for (const [n, type] of HOSTILE.entries()) {
        const policy = await bounds.now.openPolicy(bounds.gateway, wallet, {
          trackingId: `bound-${n}`,
        })
        policy.created.data.policy_type = type
        await send(bounds, policy.created)
        const paid = bounds.now.pay(policy)
        Object.assign(paid.data, { amount: U64, timestamp: n % 2 === 0 ? I64 : LEAST_I64 })
        await send(bounds, paid)
      }
    },
    wrong: () => ['select count(*) from dead_letters', 'select count(*) from quarantine'],
  },
  {
    name: 'a gateway with 20 endpoints ends',
    do: bounds =>
      send(
        bounds,
        bounds.now.emit('PaymentGatewayDeleted', {
          gateway: bounds.doomed.address,
          authority: bounds.doomed.authority.publicKey,
          name: Array(32).fill(0),
        }),
      ),
    isDone: async bounds =>
      (await isSettled(bounds)) &&
      (await bounds.count(
        `select count(*) from deliveries d join webhooks w on w.id = d.webhook_id
          where w.gateway = '${bounds.doomed.address}' and d.state in ('pending', 'waiting')`,
      )) === 0,
  },
]
