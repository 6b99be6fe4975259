// A search by how a text begins reads a few entries of an index for each that it finds, whatever strangers have written: however many
// payments, policies and expectations have one text, and however many other gateways have texts that begin alike.
import { analyzeAll } from '@payment-tracking/testkit'
import t from 'tap'
import { findAnything } from '../../src/reads/search/find-anything.js'
import { openTestStore } from '../open-test-store.js'
import { blocksOf, explain, rowsOfPlan, sentBy, type Plan } from './explain.js'

const MANY = 20_000
const GATEWAY = 'shop'
const { store, pool } = await openTestStore(t)
const sum = (plans: readonly Plan[], of: (plan: Plan) => number) =>
  plans.reduce((total, plan) => total + of(plan), 0)

// Of this gateway half have one text, and half one each; of another all have one each.
const ID = `case when n % 2 = 0 then 'cart' else 'cart-' || n end`
for (const [gateway, text] of [
  [GATEWAY, ID],
  ['other', `'cart-' || n`],
] as const) {
  await pool.query(
    `insert into events (id, position, slot, signature, event_index, name, data, commitment, occurred_at, fingerprint,
                         stream_sequence, gateway, payment_policy, tracking_id, payer, recipient, amount, paid_at, record_id)
     select gen_random_uuid(), case when $1 = 'other' then ${MANY} else 0 end + n, n, $1 || n, 0, 'PaymentRecord', '{}', 'confirmed',
            now(), gen_random_uuid(), n, $1, '${'1'.repeat(32)}', ${text}, 'payer', 'till', 1, n, 0
       from generate_series(1, ${MANY}) n`,
    [gateway],
  )
  await pool.query(
    `insert into policies (address, live, status, gateway, user_payment, tracking_id, created_at)
     select $1 || n, n % 4 < 2, 'active', $1, 'u' || n, ${text}, n from generate_series(1, ${MANY}) n`,
    [gateway],
  )
  await pool.query(
    `insert into expectations (gateway, tracking_id, recipient, token_mint, amount, reference)
     select $1, ${text}, 'till ' || n, 'usdc', 1, ${text} from generate_series(1, ${MANY}) n`,
    [gateway],
  )
}
await pool.query(
  `insert into customer_names (gateway, wallet, name, sought)
   select g, 'w' || n, 'Cart', 'cart' || case when n % 2 = 0 then '' else '-' || n end
     from generate_series(1, ${MANY}) n, unnest(array['shop', 'other']) g`,
)
await pool.query(
  `insert into trackings (tracking_id, head) select distinct tracking_id, 1 from events where tracking_id is not null`,
)

t.test('ten of each kind cost some ten rows each', async t => {
  for (const when of ['without statistics', 'with statistics']) {
    if (when === 'with statistics') await analyzeAll(pool)
    for (const text of ['cart', 'cart-1', 'none']) {
      const search = (reader: typeof store) =>
        findAnything(
          reader,
          [
            {
              text,
              isTrackingId: true,
              isSignature: false,
              isPublicKey: false,
              isUuid: false,
              isNumber: false,
            },
          ],
          { gateway: GATEWAY, customers: true, webhooks: true, expectations: true },
        )
      for (const mode of ['force_custom_plan', 'force_generic_plan']) {
        const plans = await explain(pool, await sentBy(store, search), { mode })
        const [rows, blocks] = [sum(plans, rowsOfPlan), sum(plans, blocksOf)]
        t.ok(rows <= 150 && blocks <= 600, `${when}, ${mode}, ${text}: ${rows} rows, ${blocks} blocks`, {
          plans: JSON.stringify(plans),
        })
      }
    }
  }
})
