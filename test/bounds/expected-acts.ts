// What happens to expectations of the gateway with the long history.
import { analyzeAll, openReceiver } from '@payment-tracking/testkit'
import type { Test } from 'tap'
import { isRetracted, isSettled, request, retract, send, type Act } from './acts.js'
import type { Bounds } from './open-bounds.js'

const OPEN = 100_000
/** Until then the gateway has so many fewer open. */
const FREE = 100
const AT_ONCE = 50_000
const ORDERS = 2 * FREE
const TYPES = ['paid', 'underpaid', 'overpaid', 'expired', 'reopened'].map(type => `expectation.${type}`)

/** The gateway expects nearly as much as it may, and an endpoint of it is told. */
export async function expectMany(t: Test, bounds: Bounds, share: number): Promise<void> {
  const { pool, gateway, endpoints } = bounds
  const { url } = await openReceiver(t)
  await pool.query('update webhooks set endpoint_url = $1, event_types = $2 where id = $3', [
    url,
    TYPES,
    endpoints[0],
  ])
  await pool.query(
    `insert into expectations (gateway, tracking_id, recipient, token_mint, amount)
     select $1, 'order ' || n, $1, $1, 9 from generate_series(1, $2::int) n`,
    [gateway.address, OPEN * share - FREE],
  )
  await pool.query(
    `insert into expectation_counts (gateway, writer, open) select gateway, 'ingest', count(*) from expectations group by gateway`,
  )
  await pool.query(
    `insert into trackings (tracking_id, head, expected) select tracking_id, 0, true from expectations`,
  )
  await pool.query(
    `update expectations set expires_at = now() + interval '1 day', next_check_at = now() + interval '1 day'
      where id = any(array(select id from expectations limit $1))`,
    [AT_ONCE * share],
  )
  await analyzeAll(pool)
}

const path = ({ gateway }: Bounds) => `/v1/gateway/${gateway.address}/expectations`
const termsOf = ({ policies, userPayment }: Bounds, trackingId: string) => ({
  trackingId,
  recipient: policies.metered.recipient,
  tokenMint: userPayment.tokenMint,
  amount: 7,
})

const BUSY = `tracking_id = 'metered'`
const busyIs = async (bounds: Bounds, what: string): Promise<boolean> =>
  (await bounds.count(`select count(*) from expectations where ${BUSY} and not counting and ${what}`)) === 1
const sums = (): string[] => [
  `select count(*) from expectations x where ${BUSY} and (x.paid_amount, x.payment_count) is distinct from
     (select (sum(e.amount), count(*)) from events e
       where e.tracking_id = x.tracking_id and e.amount is not null and e.retracted_at is null)`,
  `select count(*) - count(distinct message_id) from deliveries where type like 'expectation.%'`,
]
const OPEN_NOTICES = `select count(*) from deliveries where type like 'expectation.%' and state in ('pending', 'waiting')`

export const EXPECTED_ACTS: Act[] = [
  {
    name: 'an expectation behind all payments of a policy',
    do: bounds => request(bounds, 'POST', path(bounds), termsOf(bounds, 'metered')),
    isDone: bounds => busyIs(bounds, `state = 'overpaid'`),
    wrong: sums,
  },
  {
    name: 'one more payment of it',
    do: bounds => send(bounds, bounds.now.pay(bounds.policies.metered)),
    wrong: sums,
  },
  {
    name: 'a payment of it is retracted',
    do: bounds =>
      retract(bounds, { signature: bounds.paid.metered.signatureOf(7), slot: bounds.paid.metered.slotOf(7) }),
    isDone: bounds => isRetracted(bounds, bounds.paid.metered.signatureOf(7)),
    wrong: sums,
  },
  {
    name: 'all its payments become final',
    do: bounds => bounds.publishControl('finalized', { slot: 4_000_000 }),
    isDone: async bounds =>
      (await busyIs(bounds, `final_payment_count > 1 and final_payment_count = payment_count - 1`)) &&
      bounds.isIdle(),
    wrong: sums,
  },
  {
    name: 'more orders than the gateway may have open',
    do: async bounds => {
      let refused = 0
      const order = async (n: number) =>
        request(bounds, 'POST', path(bounds), termsOf(bounds, `new ${n}`)).catch((error: unknown) => {
          if (!String(error).includes('TOO_MANY_EXPECTATIONS')) throw error
          refused++
        })
      for (let n = 0; n < ORDERS; n += 4) await Promise.all([0, 1, 2, 3].map(more => order(n + more)))
      const open = await bounds.count(`select count(*) from expectations where state = 'open'`)
      if (open > OPEN || (open === OPEN) !== refused > 0)
        throw new Error(`${open} are open, ${refused} were refused`)
    },
  },
  {
    name: 'lists of what is open',
    do: async bounds => {
      for (const query of ['?limit=1000', '?state=open&limit=1000', '?state=expired', '?trackingId=metered'])
        await request(bounds, 'GET', path(bounds) + query)
    },
    isDone: () => Promise.resolve(true),
  },
  {
    name: 'tens of thousands expire in the same second, and the endpoint is told of each',
    do: bounds =>
      bounds.pool.query(
        `update expectations set expires_at = date_trunc('second', now()), next_check_at = date_trunc('second', now())
          where next_check_at is not null`,
      ),
    isDone: async bounds =>
      (await bounds.count('select count(*) from expectations where next_check_at is not null')) === 0 &&
      (await bounds.count(OPEN_NOTICES)) === 0 &&
      isSettled(bounds),
    wrong: () => [
      `select count(*) from expectations x where state = 'expired' and not exists (
         select from deliveries where type = 'expectation.expired' and state = 'delivered' and order_key = 'expectation ' || x.id)`,
      `select count(*) - count(distinct message_id) from deliveries where type like 'expectation.%'`,
    ],
  },
]
