import { DEFAULT_PROGRAM_ID } from '@payment-tracking/contracts'
import { readMessage } from '@payment-tracking/domain'
import t from 'tap'
import { buildShopHistory } from '../src/commands/demo/shop-history.js'

const DAY_MS = 86_400_000
const endMs = Date.UTC(2026, 2, 31, 12)

t.test('the history of a shop is accepted whole, lies in the past, and is the same each time', async t => {
  const { messages, gateway } = await buildShopHistory({ seed: 'shop', endMs })
  const again = await buildShopHistory({ seed: 'shop', endMs })
  t.same(again.messages, messages, 'the same seed makes the same messages')
  const settings = { programId: DEFAULT_PROGRAM_ID, requireProgramId: true }
  const refused = messages.filter(message => !readMessage(Buffer.from(JSON.stringify(message)), settings).ok)
  t.same(refused, [])
  const slots = messages.map(({ slot }) => slot)
  const inOrder = slots.toSorted((a, b) => a - b)
  t.same(slots, inOrder, 'slots ascend')
  const agoMs = messages.map(({ timestamp }) => endMs - Date.parse(timestamp))
  for (const ms of agoMs) t.ok(ms > 0 && ms <= 90 * DAY_MS, 'of the last ninety days')
  const payments = messages.filter(({ event_name: name }) => name === 'PaymentRecord')
  const amounts = new Set(payments.map(({ data }) => data.amount))
  t.same([...amounts].sort(), ['4500000', '9000000', '99000000', '9990000'], 'prices that mean something')
  t.ok(payments.every(({ data }) => data.gateway === gateway.address))
  const paysOf = (memo: string) =>
    payments.filter(({ data }) =>
      Buffer.from(data.memo as number[])
        .toString()
        .startsWith(memo),
    ).length
  t.equal(paysOf('ada-monthly'), 3, 'a month is a month')
  t.equal(paysOf('linus-yearly'), 1)
  t.equal(paysOf('alan-monthly'), 2, 'who left pays no more')
  t.equal(paysOf('edsger-monthly'), 1, 'who owes did not pay the second month')
})
