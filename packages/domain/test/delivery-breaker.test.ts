import t from 'tap'
import { BREAKER, DeliveryBreaker } from '../src/deliveries/delivery-breaker.js'

const note = (breaker: DeliveryBreaker, at: number, failed: number, succeeded: number) => {
  for (let n = 0; n < succeeded; n++) breaker.note(at, true, false)
  for (let n = 0; n < failed; n++) breaker.note(at, false, false)
}

t.test('the breaker opens at 70 % failures of at least 10, not before', t => {
  const few = new DeliveryBreaker()
  note(few, 0, 9, 0)
  t.strictSame(few.ask(0), { kind: 'go' }, '9 failures are too few to tell')
  note(few, 0, 1, 0)
  t.strictSame(few.ask(0), { kind: 'hold', holdMs: BREAKER.coolDownMs })
  t.ok(few.isOpen(0))
  const mixed = new DeliveryBreaker()
  note(mixed, 0, 6, 4)
  t.strictSame(mixed.ask(0), { kind: 'go' }, '60 %')
  note(mixed, 0, 3, 0)
  t.strictSame(mixed.ask(0), { kind: 'go' }, '9 of 13')
  note(mixed, 0, 1, 0)
  t.equal(mixed.ask(0).kind, 'hold', '10 of 14')
  t.end()
})

t.test('results older than five minutes do not count', t => {
  const breaker = new DeliveryBreaker()
  note(breaker, 0, 9, 0)
  note(breaker, BREAKER.windowMs + 20_000, 9, 0)
  t.strictSame(breaker.ask(BREAKER.windowMs + 20_000), { kind: 'go' })
  t.end()
})

t.test('after the cool-down one probe goes; success closes the breaker, failure opens it again', t => {
  const breaker = new DeliveryBreaker()
  note(breaker, 0, 10, 0)
  t.equal(breaker.ask(59_999).kind, 'hold')
  t.strictSame(breaker.ask(60_000), { kind: 'probe' })
  t.equal(breaker.ask(60_000).kind, 'hold', 'one probe at a time')
  breaker.note(61_000, false, true)
  t.strictSame(breaker.ask(61_000), { kind: 'hold', holdMs: 60_000 })
  t.strictSame(breaker.ask(121_000), { kind: 'probe' })
  breaker.forgoProbe()
  t.strictSame(breaker.ask(121_000), { kind: 'probe' }, 'a probe that was not made can be made by another')
  breaker.note(121_500, true, true)
  t.strictSame(breaker.ask(121_500), { kind: 'go' })
  note(breaker, 121_600, 9, 0)
  t.strictSame(breaker.ask(121_600), { kind: 'go' }, 'it begins anew')
  t.end()
})
