// The list of gaps that may still close: long enough for a bad day of a node, and never too large for the checkpoint.
import t from 'tap'
import type { CounterHole } from '../src/audit/counter-audit.js'
import { addTo, closeBy, takeTurn, type OpenGaps } from '../src/audit/open-gaps.js'
import type { FetchedTransaction } from '../src/nodes/fetch-transaction.js'

const NONE: OpenGaps = { transactions: [], holes: [] }
const MESSAGE_LIMIT = 1_048_576

const unread = (number: number) => ({ signature: `${number}`.padStart(88, 'x'), slot: 400_000_000 + number })
const hole = (number: number, missing: number): CounterHole => ({
  account: `${number}`.padStart(44, 'y'),
  field: 'record_id',
  missing: Array.from({ length: missing }, (_, at) => 4_000_000_000 + at),
  fromSlot: 400_000_000,
  toSlot: 500_000_000,
  reason: `record_id 4000000000 to 4000000999 of ${`${number}`.padStart(44, 'y')} was never seen`,
})

/** Adds gaps until the list is full. */
function fill(gapOf: (number: number) => Parameters<typeof addTo>[1]): OpenGaps {
  let open = NONE
  for (let number = 0; ; number++) {
    const next = addTo(open, gapOf(number))
    if (!next) return open
    open = next
  }
}

t.test('thousands of transactions are kept, and the checkpoint fits into a message', async t => {
  const open = fill(unread)
  t.ok(open.transactions.length >= 4_000, `${open.transactions.length}`)
  t.ok(JSON.stringify(open).length < MESSAGE_LIMIT)
})

t.test('holes with many numbers stay below the limit too', async t => {
  const open = fill(number => hole(number, 1_000))
  t.ok(open.holes.length >= 50, `${open.holes.length}`)
  t.ok(JSON.stringify(open).length < MESSAGE_LIMIT)
})

t.test('a gap that is reported again is kept once', async t => {
  const open = addTo(addTo(NONE, unread(1))!, hole(1, 2))!
  t.equal(addTo(open, unread(1)), open)
  t.equal(addTo(open, hole(1, 2)), open)
})

t.test('every gap has its turn, and a closed gap has no more', async t => {
  let open: OpenGaps = { ...NONE, transactions: Array.from({ length: 450 }, (_, number) => unread(number)) }
  const tried = new Set<string>()
  for (let round = 0; round < 3; round++) {
    const taken = takeTurn(open)
    t.ok(taken.turn.transactions.length <= 200)
    for (const { signature } of taken.turn.transactions) tried.add(signature)
    open = taken.open
  }
  t.equal(tried.size, 450)
  const read = { transaction: unread(7), events: [], gaps: [], nodeMayBeUnfit: false }
  const { open: left, closed } = closeBy(open, [read as unknown as FetchedTransaction])
  t.equal(left.transactions.length, 449)
  const wanted = [unread(7).signature].map(signature => ({ signature }))
  t.match(closed, wanted)
})
