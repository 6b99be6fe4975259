import fc from 'fast-check'
import t from 'tap'
import { Ledger } from '../src/rooms/ledger.js'

t.test('each payment is told once, and what is missing is known', async t => {
  const ledger = new Ledger()
  t.equal(ledger.contiguous, null)
  t.ok(ledger.note(4), 'before the baseline everything is new')
  t.notOk(ledger.note(4))
  ledger.baseline(5)
  ledger.baseline(1)
  t.equal(ledger.contiguous, 5, 'only the first baseline counts')
  t.notOk(ledger.note(4), 'told before the baseline')
  t.ok(ledger.note(5), 'committed before the baseline, arrived after it')
  t.notOk(ledger.note(5))
  t.ok(ledger.note(6))
  t.notOk(ledger.hasGap)
  t.ok(ledger.note(9))
  t.ok(ledger.note(10))
  t.ok(ledger.hasGap)
  t.equal(ledger.highest, 10)
  t.same(ledger.missing(12, 100), { from: 7, to: 8 })
  t.same(ledger.missing(12, 1), { from: 7, to: 7 })
  t.ok(ledger.note(8))
  t.ok(ledger.note(7))
  t.equal(ledger.contiguous, 10)
  t.same(ledger.missing(12, 100), { from: 11, to: 12 })
  t.equal(ledger.missing(10, 100), null)
})

t.test(
  'any order, any repetition, any losses: filling what is missing tells each payment exactly once',
  async () => {
    const arrivals = fc.array(fc.integer({ min: 1, max: 30 }), { maxLength: 60 })
    fc.assert(
      fc.property(arrivals, arrivals, fc.integer({ min: 0, max: 30 }), (before, after, head) => {
        const ledger = new Ledger()
        const told: number[] = []
        const arrive = (seq: number) => ledger.note(seq) && told.push(seq)
        // Before the first look at the store nothing can have come that is not committed by then.
        for (const seq of before) if (seq <= head) arrive(seq)
        ledger.baseline(head)
        for (const seq of after) arrive(seq)
        for (let hole; (hole = ledger.missing(30, 7));) {
          for (let seq = hole.from; seq <= hole.to; seq++) arrive(seq)
        }
        const afterHead = told.filter(seq => seq > head).sort((a, b) => a - b)
        return (
          new Set(told).size === told.length &&
          afterHead.join() === Array.from({ length: 30 - head }, (_, n) => head + 1 + n).join()
        )
      }),
    )
  },
)
