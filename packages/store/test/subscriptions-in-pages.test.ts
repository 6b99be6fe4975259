// A gateway's policies come in pages of 500: each policy once, and the policies that left the gateway too.
import { openStore, readSubscriptions } from '@payment-tracking/store'
import { createDatabase } from '@payment-tracking/testkit'
import t from 'tap'
import { readPages } from './plans.js'

const CREATED = 1_200
/** In the first page of created events: nothing is stored of its policy. */
const UNKNOWN = 300
/** In the last page. Its policy belongs to another gateway now. */
const LEFT = 1_150
/** On both sides of an end of a page, created in the same second. */
const SAME_SECOND = [499, 500, 501, 502]
const TERMS = `{"Subscription":{"amount":"1","auto_renew":true,"max_renewals":null,"next_payment_due":"1","padding":[],
  "payment_frequency":{"Monthly":null}}}`

t.test('each policy of a gateway is in one page', async t => {
  const database = await createDatabase(t)
  const store = openStore({ DATABASE_URL: database.url })
  t.teardown(() => store.close())
  await database.pool.query(
    `insert into policies (address, live, status, gateway, recipient, user_payment, policy_id, policy_type, created_at,
                           updated_at, next_payment_due, token_mint)
     select 'policy ' || n, n % 7 <> 0, 'active', case when n = $3 then 'other' else 'g' end, 'r', 'u', n, $4::json,
            case when n = any($5::bigint[]) then $5[1] else n end, n, n, 'mint'
       from generate_series(1, $1::bigint) n where n <> $2`,
    [CREATED, UNKNOWN, LEFT, TERMS, SAME_SECOND],
  )
  await database.pool.query(
    `insert into events (id, position, slot, signature, event_index, name, data, commitment, occurred_at, fingerprint,
                         stream_sequence, gateway, payment_policy)
     select gen_random_uuid(), n, n, 's' || n, 0, 'PaymentPolicyCreated', '{}', 'confirmed', to_timestamp(n / 10),
            gen_random_uuid(), n, 'g', 'policy ' || n
       from generate_series(1, $1::bigint) n`,
    [CREATED],
  )
  const pages = await readPages(readSubscriptions(store, 'g'))
  const [living, changing] = [
    pages.flatMap(page => page.living.map(({ address }) => address)),
    pages.flatMap(page => [...page.changing.keys()]),
  ]
  const named = (isWanted: (n: number) => boolean) =>
    Array.from({ length: CREATED }, (_, index) => index + 1)
      .filter(n => n !== UNKNOWN && isWanted(n))
      .map(n => `policy ${n}`)
  t.strictSame(living.toSorted(), named(n => n !== LEFT && n % 7 !== 0).toSorted())
  t.strictSame(changing.toSorted(), named(n => n === LEFT || n % 7 === 0).toSorted())
  t.ok(pages.every(page => page.living.length + page.changing.size <= 500))
})
