import fc from 'fast-check'
import t from 'tap'
import { SeqTracker } from '../src/rooms/seq-tracker.js'

t.test('each payment is sent once, and missing payments are known', async t => {
  const seqs = new SeqTracker()
  t.equal(seqs.contiguous, null)
  t.ok(seqs.note(4), 'before the baseline everything is new')
  t.notOk(seqs.note(4))
  seqs.baseline(5)
  seqs.baseline(6)
  t.equal(seqs.contiguous, 5, 'a later head changes nothing')
  t.notOk(seqs.note(4), 'sent before the baseline')
  t.ok(seqs.note(5), 'committed before the baseline, arrived after it')
  t.notOk(seqs.note(5))
  t.ok(seqs.note(6))
  t.notOk(seqs.hasGap)
  t.ok(seqs.note(9))
  t.ok(seqs.note(10))
  t.ok(seqs.hasGap)
  t.equal(seqs.highest, 10)
  t.same(seqs.missing(12, 100), { from: 7, to: 8 })
  t.same(seqs.missing(12, 1), { from: 7, to: 7 })
  t.ok(seqs.note(8))
  t.ok(seqs.note(7))
  t.equal(seqs.contiguous, 10)
  t.same(seqs.missing(12, 100), { from: 11, to: 12 })
  t.equal(seqs.missing(10, 100), null)
})

t.test(
  'any order, any repetition, any losses: filling what is missing sends each payment exactly once',
  async () => {
    const arrivals = fc.array(fc.integer({ min: 1, max: 30 }), { maxLength: 60 })
    fc.assert(
      fc.property(arrivals, arrivals, fc.integer({ min: 0, max: 30 }), (before, after, head) => {
        const seqs = new SeqTracker()
        const sent: number[] = []
        const arrive = (seq: number) => seqs.note(seq) && sent.push(seq)
        // Before the first check of the store, only committed payments can arrive.
        for (const seq of before) if (seq <= head) arrive(seq)
        seqs.baseline(head)
        for (const seq of after) arrive(seq)
        for (let hole; (hole = seqs.missing(30, 7));) {
          for (let seq = hole.from; seq <= hole.to; seq++) arrive(seq)
        }
        const afterHead = sent.filter(seq => seq > head).sort((a, b) => a - b)
        return (
          new Set(sent).size === sent.length &&
          afterHead.join() === Array.from({ length: 30 - head }, (_, n) => head + 1 + n).join()
        )
      }),
    )
  },
)

t.test('a subscriber that read an earlier head, and is answered later, misses nothing', async t => {
  const seqs = new SeqTracker()
  t.ok(seqs.note(2))
  seqs.baseline(3)
  t.ok(seqs.note(4))
  t.ok(seqs.note(6))
  seqs.baseline(0)
  t.equal(seqs.contiguous, 0)
  t.same(seqs.missing(6, 100), { from: 1, to: 1 })
  t.ok(seqs.note(1))
  t.same(seqs.missing(6, 100), { from: 3, to: 3 }, '2 and 4 were sent to everybody')
  t.ok(seqs.note(3))
  t.equal(seqs.contiguous, 4)
})
