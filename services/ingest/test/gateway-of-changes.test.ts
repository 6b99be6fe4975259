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
const OF_GATEWAYS = ['4 first', '6 first', '10 second', '12 second']

const ORDERS: Record<string, Message[][]> = {
  'in the order of the chain': HISTORY.map(message => [message]),
  'in one batch': [HISTORY],
  'the last first': HISTORY.toReversed().map(message => [message]),
  'changes before what they change': [
    HISTORY.filter((_, at) => ![1, 4].includes(at)),
    [HISTORY[4]!],
    [HISTORY[1]!],
  ],
}

for (const [name, batches] of Object.entries(ORDERS))
  t.test(name, async t => {
    const { store, pool } = await openTestStore(t)
    for (const batch of batches) await ingest(store, batch)
    const { rows } = await pool.query<{ slot: string; gateway: string | null }>(
      `select slot, gateway from events where name in ('PaymentPolicyStatusChanged', 'PaymentPolicyDeleted') order by slot`,
    )
    const nameOf = (gateway: string | null) =>
      ({ [GATEWAY]: 'first', [SECOND]: 'second' })[gateway ?? ''] ?? 'nobody'
    t.same(
      rows.map(({ slot, gateway }) => `${slot} ${nameOf(gateway)}`),
      OF_GATEWAYS,
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
