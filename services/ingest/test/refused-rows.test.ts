// Rows that an earlier release stored, and whose messages this release would refuse: they have no effect, and they hold
// nothing up.
import { controlSubjectOf, DEFAULT_SUBJECT_PREFIX } from '@payment-tracking/contracts'
import { rebuildProjections } from '@payment-tracking/store'
import { buildChain, dumpProjections, type ChainMessage } from '@payment-tracking/testkit'
import t from 'tap'
import { ingestMessages, ingestSubjects, PROGRAM } from './ingest-messages.js'
import { openTestStore } from './open-test-store.js'

/** What each row gets that `readMessage` refuses, by the code of the refusal. */
const REFUSED = {
  BAD_SLOT: 'slot = 0',
  BAD_SIGNATURE: `signature = 'not base58'`,
  BAD_TIMESTAMP: `occurred_at = '1969-12-31T23:00:00Z'`,
  BAD_EVENT_NAME: `name = 'no name'`,
  BAD_DATA: `data = '[]'`,
  'BAD_DATA of a field': `data = '{}'`,
  TOO_DEEP: `data = (repeat('{"a":', 100) || '1' || repeat('}', 100))::json`,
}

t.test('rows that this release would refuse have no effect, in a rebuild and in a retraction', async t => {
  const { store, database } = await openTestStore(t)
  const { pool } = database
  const chain = buildChain({ seed: 'refused rows' })
  const gateway = await chain.openGateway()
  const policy = await chain.openPolicy(gateway, await chain.openUserPayment(), { trackingId: 'order-1' })
  const payments = [chain.pay(policy, 10n), chain.pay(policy, 20n)]
  const good = [gateway.created, policy.userPayment.created, policy.created, ...payments]
  const bytesOf = (messages: readonly ChainMessage[]) =>
    messages.map(message => Buffer.from(JSON.stringify(message)))
  await ingestMessages(store, bytesOf(good))
  const { policies, gateways, payment_stats } = await dumpProjections(pool)

  const toBeRefused = Object.values(REFUSED).map(change => ({
    change,
    message: chain.changeStatus(policy, 'Active', 'Paused'),
  }))
  await ingestMessages(store, bytesOf(toBeRefused.map(({ message }) => message)), { firstSequence: 100 })
  t.notSame((await dumpProjections(pool)).policies, policies, 'the policy is paused')
  for (const { change, message } of toBeRefused) {
    const { rowCount } = await pool.query(`update events set ${change} where signature = $1`, [
      message.signature,
    ])
    t.equal(rowCount, 1, change)
  }

  t.equal(await rebuildProjections(store, PROGRAM.programId), good.length + toBeRefused.length)
  t.match(await dumpProjections(pool), { policies, gateways, payment_stats })
  const { rows } = await pool.query<{ sum: string }>('select sum(count) from event_counts where span = 0')
  t.equal(Number(rows[0]!.sum), good.length + toBeRefused.length, 'each of them is an event still')

  const { signature, slot } = payments[1]!
  const retraction = {
    subject: controlSubjectOf(DEFAULT_SUBJECT_PREFIX, 'retracted'),
    bytes: Buffer.from(JSON.stringify({ signature, slot })),
  }
  await ingestSubjects(store, [retraction], { firstSequence: 200 })
  const { rows: after } = await pool.query('select status, payment_count, total_paid from policies')
  t.match(after, [{ status: 'active', payment_count: '1', total_paid: '10' }])
  t.equal((await pool.query('select from dead_letters')).rowCount, 0)
})
