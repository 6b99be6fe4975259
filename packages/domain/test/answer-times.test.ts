import fc from 'fast-check'
import t from 'tap'
import { durationClass, percentileOf } from '../src/index.js'

t.test('a percentile of counted classes is right to within a tenth', t => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: 1, max: 60_000, noNaN: true }), { minLength: 1, maxLength: 300 }),
      fc.constantFrom(0.5, 0.95),
      (times, share) => {
        const sorted = [...times].sort((a, b) => a - b)
        const exact = sorted[Math.ceil(times.length * share) - 1]!
        const counts = times.map(ms => ({ duration: durationClass(ms), requests: 1n }))
        const found = percentileOf(counts, share)!
        // Then rounded to a whole millisecond, and the least is 1.
        return Math.abs(found - exact) <= Math.max(1, exact * 0.1 + 0.5)
      },
    ),
  )
  t.end()
})

t.test('the classes begin at a millisecond and end', t => {
  t.same([0, 1, 1.1, 1.3, Infinity].map(durationClass), [0, 0, 1, 2, 66])
  t.equal(percentileOf([], 0.5), null)
  t.equal(percentileOf([{ duration: 3, requests: 0n }], 0.5), null)
  t.end()
})
