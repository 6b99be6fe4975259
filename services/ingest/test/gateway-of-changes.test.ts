// Status changes and deletions of policies are events of the gateway whose policy it was, in any order of messages.
import { countEvents } from '@payment-tracking/store/reads'
import { openTestStore } from '@payment-tracking/testkit'
import t from 'tap'
import {
  created,
  GATEWAY,
  ingest,
  keyOf,
  PERIODS,
  policyOf,
  say,
  userPayment,
  type Message,
} from './recompute-history.js'

const SECOND = keyOf('second gateway')
const read = ({ bytes }: Message) => JSON.parse(Buffer.from(bytes).toString()) as { data: object }
/** The policy again, of another gateway: its address is free after a deletion. */
const again = (message: Message): Message => {
  const { data, ...rest } = read(message)
  return { ...message, bytes: Buffer.from(JSON.stringify({ ...rest, data: { ...data, gateway: SECOND } })) }
}
const paused = (slot: number) =>
  say('PaymentPolicyStatusChanged', slot, {
    payment_policy: policyOf(1),
    old_status: { Active: null },
    new_status: { Paused: null },
  })
const deleted = (slot: number) => say('PaymentPolicyDeleted', slot, { payment_policy: policyOf(1) })

const HISTORY = [
  userPayment,
  created(1, 2, PERIODS),
  paused(4),
  deleted(6),
  again(created(1, 8, PERIODS)),
  paused(10),
  deleted(12),
]

// Any other order is a law of packages/store/test/laws.
t.test('the last first', async t => {
  const { store, pool } = await openTestStore(t)
  for (const message of HISTORY.toReversed()) await ingest(store, [message])
  const { rows } = await pool.query<{ slot: string; gateway: string | null }>(
    `select slot, gateway from events where name in ('PaymentPolicyStatusChanged', 'PaymentPolicyDeleted') order by slot`,
  )
  t.same(
    rows.map(({ slot, gateway }) => [Number(slot), gateway]),
    [
      [4, GATEWAY],
      [6, GATEWAY],
      [10, SECOND],
      [12, SECOND],
    ],
  )
  const countOf = async (gateway: string) =>
    Number(await countEvents(store, { gateway, name: 'PaymentPolicyStatusChanged' })) +
    Number(await countEvents(store, { gateway, name: 'PaymentPolicyDeleted' }))
  t.same([await countOf(GATEWAY), await countOf(SECOND)], [2, 2], 'and are counted')
})

t.test('a change of a policy that nothing is known of is of no gateway', async t => {
  const { store, pool } = await openTestStore(t)
  await ingest(store, [paused(4)])
  t.same((await pool.query('select gateway from events')).rows, [{ gateway: null }])
})
