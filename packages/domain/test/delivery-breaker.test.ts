import t from 'tap'
import { BREAKER, DeliveryBreaker } from '../src/deliveries/delivery-breaker.js'
import { endpointSign } from '../src/deliveries/endpoint-sign.js'

const note = (breaker: DeliveryBreaker, at: number, failed: number, succeeded: number) => {
  for (let n = 0; n < succeeded; n++) breaker.note(at, 'success', false)
  for (let n = 0; n < failed; n++) breaker.note(at, 'failure', false)
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
  breaker.note(61_000, 'failure', true)
  t.strictSame(breaker.ask(61_000), { kind: 'hold', holdMs: 60_000 })
  t.strictSame(breaker.ask(121_000), { kind: 'probe' })
  breaker.forgoProbe()
  t.strictSame(breaker.ask(121_000), { kind: 'probe' }, 'a probe that was not made can be made by another')
  breaker.note(121_500, 'success', true)
  t.strictSame(breaker.ask(121_500), { kind: 'go' })
  note(breaker, 121_600, 9, 0)
  t.strictSame(breaker.ask(121_600), { kind: 'go' }, 'it begins anew')
  t.end()
})

t.test('a pause opens for as long as it says; then one probe goes', t => {
  const breaker = new DeliveryBreaker()
  t.equal(breaker.isClosed, true)
  breaker.pause(0, 5_000)
  t.strictSame(breaker.ask(1_000), { kind: 'hold', holdMs: 4_000 })
  breaker.pause(1_000, 1_000)
  t.strictSame(breaker.ask(1_000), { kind: 'hold', holdMs: 4_000 }, 'a shorter one ends nothing early')
  t.strictSame([breaker.isPaused, breaker.isClosed], [true, false])
  t.equal(breaker.ask(5_000).kind, 'probe')
  t.equal(breaker.ask(5_000).kind, 'hold')
  breaker.forgoProbe()
  breaker.pause(5_100, 5_000)
  t.equal(breaker.ask(10_099).kind, 'hold')
  t.equal(breaker.ask(10_100).kind, 'probe')
  breaker.note(10_200, 'success', true)
  t.strictSame([breaker.isPaused, breaker.isClosed], [false, true])
  note(breaker, 10_200, 10, 0)
  t.strictSame([breaker.ask(10_200).kind, breaker.isPaused], ['hold', false])
  breaker.pause(10_300, 1_000)
  t.strictSame(breaker.ask(10_300), { kind: 'hold', holdMs: BREAKER.coolDownMs - 100 }, 'nor a cool-down')
  t.end()
})

t.test('an answer that says nothing of the endpoint does not count, and closes as a probe', t => {
  const breaker = new DeliveryBreaker()
  for (let n = 0; n < 1_000; n++) breaker.note(0, 'refusal', false)
  note(breaker, 0, 9, 0)
  t.strictSame(breaker.ask(0), { kind: 'go' }, 'nine failures are too few, whatever else was answered')
  note(breaker, 0, 1, 0)
  t.equal(breaker.ask(0).kind, 'hold', '10 of 10, not of 1,010')
  t.equal(breaker.ask(60_000).kind, 'probe')
  breaker.note(60_001, 'refusal', true)
  t.strictSame(breaker.ask(60_001), { kind: 'go' }, 'the endpoint answers')
  t.end()
})

t.test('what a status says of its endpoint', t => {
  const signs = (...statuses: (number | null)[]) => [...new Set(statuses.map(endpointSign))]
  t.strictSame(signs(200, 204, 299), ['success'])
  t.strictSame(signs(null, 408, 425, 429, 500, 502, 503, 504, 599), ['failure'])
  t.strictSame(signs(301, 307, 400, 401, 403, 404, 405, 409, 410, 413, 422, 451), ['refusal'])
  t.end()
})
