import t from 'tap'
import { sayAge } from '../src/html/say-age.js'

t.test('a time is said as people say it', t => {
  for (const [seconds, said] of [
    [0, '0 s'],
    [0.4, '0 s'],
    [59.4, '59 s'],
    [59.6, '1 min'],
    [1_290, '21 min'],
    [3_600, '1 h'],
    [11_100, '3 h 5 min'],
    [90_000, '1 d 1 h'],
    [1_000_000, '11 d 13 h'],
  ] as const)
    t.equal(sayAge(seconds), said)
  t.end()
})
