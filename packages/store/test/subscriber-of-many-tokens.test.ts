// Wallets can pay a gateway in 10,000 tokens of their own each: the list of subscribers holds up nobody else, and answers.
import { createDatabase } from '@payment-tracking/testkit'
import t from 'tap'
import { openStore, type Store } from '../src/database/open-store.js'
import { listSubscribers } from '../src/merchant/index.js'

const TOKENS = 10_000
const WALLETS = 30

t.test('subscribers who pay in 10,000 tokens', async t => {
  const database = await createDatabase(t)
  const store = openStore({ DATABASE_URL: database.url })
  t.teardown(() => store.close())
  await database.pool.query(
    `insert into events (id, position, slot, signature, event_index, name, data, commitment, occurred_at, fingerprint,
                         stream_sequence, gateway, payment_policy, amount, paid_at, record_id, payer, token_mint)
     select gen_random_uuid(), n, n, 's' || n, 0, 'PaymentRecord', '{}', 'confirmed', to_timestamp(n), gen_random_uuid(), n,
            'g', 'policy', 5, n, n, 'payer ' || n % $2, 'mint ' || n % ($2 * ($1 - 1)) from generate_series(1, $1::bigint * $2) n`,
    [TOKENS, WALLETS],
  )
  await database.pool.query('analyze')
  let [statements, most] = [0, 0]
  const counting: Store = {
    ...store,
    database: {
      ...store.database,
      read: async statement => {
        const rows = await store.database.read(statement)
        statements += 1
        most = Math.max(most, rows.length)
        return rows as never
      },
    },
  }
  const { items } = await listSubscribers(counting, 'g', { limit: 100, offset: 0 })
  t.equal(items.length, WALLETS)
  t.ok(items.every(({ byToken, complete }) => byToken.length === 100 && !complete))
  t.ok(
    items.every(({ byToken: [first] }) => first!.paymentCount === 2n),
    'most payments first',
  )
  t.ok(
    items.every(({ lastActiveAt }) => lastActiveAt! > BigInt(WALLETS * (TOKENS - 1))),
    'the last payment was in whatever token',
  )
  t.ok(most <= 500, `a statement answers with at most ${most} rows`)
  t.ok(statements >= WALLETS / 5, `${statements} statements share the payments`)
})
