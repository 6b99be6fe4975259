// A Created event of which no place in its slot was known stood before a change of the same slot, and gave it its gateway. When the place
// came, the event stood after the change; the change kept the gateway.
import { DEFAULT_PROGRAM_ID } from '@payment-tracking/contracts'
import { derivePolicy } from '@payment-tracking/domain'
import { openTestStore } from '@payment-tracking/testkit'
import t from 'tap'
import { keyOf, memoOf, openChain, subscriptionOf } from '../../services/api/test/open-chain.js'

const AT = 1_763_632_800
const SLOT = 5_000

t.test('a change has a gateway only while its policy was created before it', async t => {
  const { store, pool } = await openTestStore(t)
  const chain = openChain(store)
  const [gateway, recipient, userPayment] = [keyOf('gateway'), keyOf('recipient'), keyOf('user payment')]
  const terms = { policy_id: 1, policy_type: subscriptionOf(), memo: memoOf('order') }
  const created = await chain.say(
    'PaymentPolicyCreated',
    { user_payment: userPayment, recipient, gateway, ...terms },
    AT,
    { slot: SLOT, index: 1 },
  )
  const address = derivePolicy(DEFAULT_PROGRAM_ID, userPayment, 1)
  const change = { payment_policy: address, old_status: { Active: null }, new_status: { Paused: null } }
  await chain.say('PaymentPolicyStatusChanged', change, AT, { slot: SLOT, index: 2 })
  const readGateways = async () =>
    (await pool.query(`select gateway from events where name = 'PaymentPolicyStatusChanged'`)).rows
  t.strictSame(await readGateways(), [{ gateway }])
  await chain.repeat({ transaction_index: 3, commitment: 'finalized' }, created)
  t.strictSame(await readGateways(), [{ gateway: null }])
})
