import fc from 'fast-check'
import t from 'tap'
import { SeenPayments } from '../src/seen-payments.js'

t.test('every payment passes once, in whatever order and however often it comes', async t => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 40 }), seqs => {
      const seen = new SeenPayments(0)
      const passed = seqs.filter(seq => seen.add(seq))
      const all = new Set(seqs)
      let floor = 0
      while (all.has(floor + 1)) floor += 1
      return passed.length === all.size && seen.floor === floor
    }),
  )
  t.pass()
})

t.test('what a replay reached is not asked for again, also where a filter left holes', async t => {
  const seen = new SeenPayments(2)
  t.equal(seen.add(2), false)
  t.equal(seen.add(5), true)
  t.equal(seen.floor, 2)
  seen.reach(4)
  t.equal(seen.floor, 5)
  t.equal(seen.add(5), false)
  t.equal(seen.add(6), true)
  t.equal(seen.floor, 6)
})
