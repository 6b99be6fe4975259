import fc from 'fast-check'
import t from 'tap'
import { SeqTracker } from '../src/rooms/seq-tracker.js'

t.test('in any order, with repetitions and losses, each payment is sent exactly once', async () => {
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
})
