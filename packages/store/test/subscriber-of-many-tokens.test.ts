// Wallets can pay a gateway in 10,000 tokens of their own each: the list of subscribers holds up nobody else.
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setImmediate as giveWay } from 'node:timers/promises'
import { listSubscribers, openStore } from '@payment-tracking/store'
import { createDatabase } from '@payment-tracking/testkit'
import t from 'tap'

const TOKENS = 10_000
const WALLETS = 12

t.test('subscribers who pay in 10,000 tokens', async t => {
  const database = await createDatabase(t)
  const store = openStore({ DATABASE_URL: database.url })
  t.teardown(() => store.close())
  await database.pool.query(
    `insert into events (id, position, slot, signature, event_index, name, data, commitment, occurred_at, fingerprint,
                         stream_sequence, gateway, payment_policy, amount, paid_at, record_id, payer, token_mint)
     select gen_random_uuid(), n, n, 's' || n, 0, 'PaymentRecord', '{}', 'confirmed', to_timestamp(n), gen_random_uuid(), n,
            'g', 'policy', 5, n, n, 'payer ' || n % $2, 'mint ' || n from generate_series(1, $1::bigint * $2) n`,
    [TOKENS, WALLETS],
  )
  await database.pool.query('analyze')
  const delay = monitorEventLoopDelay({ resolution: 5 })
  delay.enable()
  const { items } = await listSubscribers(store, 'g', { limit: 100, offset: 0 })
  // The delay is noted when a timer runs, which the second turn follows.
  await giveWay()
  await giveWay()
  delay.disable()
  t.equal(items.length, WALLETS)
  t.ok(items.every(({ byToken, complete }) => byToken.length === TOKENS && !complete))
  t.ok(delay.max < 1.5e9, `the process stood still for ${(delay.max / 1e6).toFixed(0)} ms at most`)
})
