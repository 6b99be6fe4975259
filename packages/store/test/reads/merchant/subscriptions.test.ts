// Only of a subscription that was active ever since its creation the events need not be read.
import t from 'tap'
import { readSubscriptions } from '../../../src/reads/merchant/read-subscriptions.js'
import { addEvents } from '@payment-tracking/testkit'
import { openTestStore } from '../../open-test-store.js'
import { readPages } from '../../plans/explain.js'

const typeOf = (more: { max_renewals: number | null; auto_renew: boolean }) => ({
  Subscription: {
    amount: '1',
    next_payment_due: '1',
    padding: [],
    payment_frequency: { Monthly: null },
    ...more,
  },
})
const ENDLESS = typeOf({ max_renewals: null, auto_renew: false })
const RENEWED = typeOf({ max_renewals: 12, auto_renew: true })
const PAID_ONCE = typeOf({ max_renewals: 12, auto_renew: false })

const CLOSED = { live: false, deleted_order: 'b' }

/** Each policy: its columns, how often the gateway created it, and when it was closed (Unix seconds; it was created at 1). */
const POLICIES: Record<
  string,
  { columns?: Record<string, unknown>; created?: number; closed?: readonly number[] }
> = {
  endless: { columns: { payment_count: 7 } },
  'renews itself': { columns: { policy_type: RENEWED, payment_count: 7 } },
  'not paid yet': { columns: { policy_type: PAID_ONCE } },
  'paid twice': { columns: { policy_type: PAID_ONCE, payment_count: 2 } },
  completed: { columns: { policy_type: RENEWED, payment_count: 12, status: 'completed' } },
  resumed: { columns: { status_order: 'b' } },
  'opened again': { columns: { deleted_order: 'b' }, created: 2, closed: [5] },
  closed: { columns: CLOSED, closed: [5] },
  'closed twice': { columns: CLOSED, closed: [5, 6] },
  'closed at once': { columns: CLOSED, closed: [1] },
  'closed when completed': { columns: { ...CLOSED, status: 'completed', policy_type: RENEWED }, closed: [5] },
  'closed twice, and opened': { columns: CLOSED, created: 2, closed: [5, 9] },
  'created again': { created: 2 },
  composable: { columns: { family: 'composable' } },
  left: { columns: { gateway: 'another' } },
}

t.test('which policies of a gateway are read event by event', async t => {
  const { store, pool } = await openTestStore(t)
  for (const [address, { columns = {}, created = 1, closed = [] }] of Object.entries(POLICIES)) {
    await addEvents(
      pool,
      { last: created },
      {
        name: `'PaymentPolicyCreated'`,
        gateway: `'shop'`,
        payment_policy: `'${address}'`,
        amount: 'null',
        paid_at: 'null',
        record_id: 'null',
      },
    )
    for (const at of closed)
      await addEvents(
        pool,
        { first: at, last: at },
        {
          name: `'PaymentPolicyDeleted'`,
          gateway: 'null',
          payment_policy: `'${address}'`,
          amount: 'null',
          paid_at: 'null',
          record_id: 'null',
        },
      )
    const row = {
      gateway: 'shop',
      live: true,
      policy_type: ENDLESS,
      status: 'active',
      payment_count: 0,
      ...columns,
    }
    await pool.query(
      `insert into policies (address, recipient, user_payment, policy_id, created_at, updated_at, incarnation_start,
                             ${Object.keys(row).join(', ')})
       select $1, 'r', 'u', 1, 1, 1,
              (select repeat('0', 32) || replace(id::text, '-', '') from events where payment_policy = $1 and name = 'PaymentPolicyCreated'
                order by slot desc limit 1),
              ${Object.keys(row)
                .map((_, at) => `$${at + 2}`)
                .join(', ')}`,
      [address, ...Object.values(row)],
    )
  }
  const pages = await readPages(readSubscriptions(store, 'shop'))
  t.strictSame(
    pages.flatMap(({ living }) => living.filter(each => each.isSteady).map(each => each.address)).toSorted(),
    ['endless', 'not paid yet', 'renews itself'],
  )
  t.strictSame(pages.flatMap(({ changing }) => [...changing.keys()]).toSorted(), [
    'closed at once',
    'closed twice',
    'closed twice, and opened',
    'closed when completed',
    'completed',
    'composable',
    'created again',
    'left',
    'opened again',
    'paid twice',
    'resumed',
  ])
  const closed = pages.flatMap(page => page.closed)
  t.match(closed, { length: 1, 0: { createdAt: 1n, closedAtMs: 5_000 } })
  t.strictSame(
    pages.flatMap(({ living }) => living.map(({ address }) => address)).toSorted(),
    Object.keys(POLICIES)
      .filter(address => address !== 'left' && !address.startsWith('closed'))
      .toSorted(),
  )
})
