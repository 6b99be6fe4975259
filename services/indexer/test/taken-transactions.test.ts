// The memory of published transactions: long enough to recognise what a list repeats, and never without bound.
import t from 'tap'
import { TakenTransactions } from '../src/scan/taken-transactions.js'

const MOST = 100_000

/** Takes transactions in their order, so many in each slot. */
function fill(slots: number, aSlot: number): TakenTransactions {
  const taken = new TakenTransactions()
  for (let slot = 0; slot < slots; slot++)
    for (let at = 0; at < aSlot; at++) taken.take(`${slot}/${at}`, slot)
  return taken
}

t.test('below the cap, only slots below the given slot are forgotten', async t => {
  const taken = fill(100, 10)
  t.equal(taken.forget(40, 90), 40)
  t.notOk(taken.isKnown('39/9'))
  t.ok(taken.has('40/0', 40))
  t.notOk(taken.has('40/0', 41), 'the same transaction in another slot')
})

t.test('above the cap, the older half is forgotten in whole slots', async t => {
  const taken = fill(MOST / 10 + 1, 10)
  const from = taken.forget(0, MOST)
  t.ok(from > 0)
  t.notOk(taken.isKnown(`${from - 1}/9`), 'a slot is forgotten to its last transaction')
  t.ok(taken.isKnown(`${from}/0`), 'the returned slot is remembered from its first transaction')
  const remembered = (MOST / 10 + 1 - from) * 10
  t.ok(remembered <= MOST / 2 + 10 && remembered > MOST / 2 - 20, `${remembered} are remembered`)
  t.equal(taken.forget(0, MOST), 0, 'there is nothing more to forget')
})

t.test('slots of the overlap are remembered, however many transactions they hold', async t => {
  const taken = fill(11, MOST / 10)
  t.equal(taken.forget(0, 2), 2)
  t.notOk(taken.isKnown('1/0'))
  t.ok(taken.isKnown('2/0'))
})
