import t from 'tap'
import { BREAKER, DeliveryBreaker } from '../src/deliveries/delivery-breaker.js'
import { isEndpointFailure } from '../src/deliveries/endpoint-failure.js'

const note = (breaker: DeliveryBreaker, at: number, silent: number, answered: number) => {
  for (let n = 0; n < answered; n++) breaker.note(at, true, false)
  for (let n = 0; n < silent; n++) breaker.note(at, false, false)
}

t.test('the breaker opens when 70 % of at least 10 were not answered, not before', t => {
  const few = new DeliveryBreaker()
  note(few, 0, 9, 0)
  t.strictSame(few.ask(0), { kind: 'go' }, '9 without an answer are too few to tell')
  note(few, 0, 1, 0)
  t.strictSame(few.ask(0), { kind: 'defer', deferMs: BREAKER.coolDownMs })
  t.ok(few.isOpen(0))
  const mixed = new DeliveryBreaker()
  note(mixed, 0, 6, 4)
  t.strictSame(mixed.ask(0), { kind: 'go' }, '60 %')
  note(mixed, 0, 3, 0)
  t.strictSame(mixed.ask(0), { kind: 'go' }, '9 of 13')
  note(mixed, 0, 1, 0)
  t.equal(mixed.ask(0).kind, 'defer', '10 of 14')
  t.end()
})

t.test('results older than five minutes do not count', t => {
  const breaker = new DeliveryBreaker()
  note(breaker, 0, 9, 0)
  note(breaker, BREAKER.windowMs + 20_000, 9, 0)
  t.strictSame(breaker.ask(BREAKER.windowMs + 20_000), { kind: 'go' })
  t.end()
})

t.test('after the cool-down one probe goes; an answer closes the breaker, silence opens it again', t => {
  const breaker = new DeliveryBreaker()
  note(breaker, 0, 10, 0)
  t.equal(breaker.ask(59_999).kind, 'defer')
  t.strictSame(breaker.ask(60_000), { kind: 'probe' })
  t.equal(breaker.ask(60_000).kind, 'defer', 'one probe at a time')
  breaker.note(61_000, false, true)
  t.strictSame(breaker.ask(61_000), { kind: 'defer', deferMs: 60_000 })
  t.strictSame(breaker.ask(121_000), { kind: 'probe' })
  breaker.forgoProbe()
  t.strictSame(breaker.ask(121_000), { kind: 'probe' }, 'a probe that was not made can be made by another')
  breaker.note(121_500, true, true)
  t.strictSame(breaker.ask(121_500), { kind: 'go' })
  note(breaker, 121_600, 9, 0)
  t.strictSame(breaker.ask(121_600), { kind: 'go' }, 'it begins anew')
  t.end()
})

t.test('a pause opens for as long as it says; then one probe goes', t => {
  const breaker = new DeliveryBreaker()
  t.equal(breaker.isClosed, true)
  breaker.pause(0, 5_000)
  t.strictSame(breaker.ask(1_000), { kind: 'defer', deferMs: 4_000 })
  breaker.pause(1_000, 1_000)
  t.strictSame(breaker.ask(1_000), { kind: 'defer', deferMs: 4_000 }, 'a shorter one ends nothing early')
  t.strictSame([breaker.isPaused, breaker.isClosed], [true, false])
  t.equal(breaker.ask(5_000).kind, 'probe')
  t.equal(breaker.ask(5_000).kind, 'defer')
  breaker.forgoProbe()
  breaker.pause(5_100, 5_000)
  t.equal(breaker.ask(10_099).kind, 'defer')
  t.equal(breaker.ask(10_100).kind, 'probe')
  breaker.note(10_200, true, true)
  t.strictSame([breaker.isPaused, breaker.isClosed], [false, true])
  note(breaker, 10_200, 10, 0)
  t.strictSame([breaker.ask(10_200).kind, breaker.isPaused], ['defer', false])
  breaker.pause(10_300, 1_000)
  t.strictSame(breaker.ask(10_300), { kind: 'defer', deferMs: BREAKER.coolDownMs - 100 }, 'nor a cool-down')
  t.end()
})

t.test('answers open no breaker, and the answer to any attempt closes it', t => {
  const breaker = new DeliveryBreaker()
  note(breaker, 0, 0, 1_000)
  note(breaker, 0, 10, 0)
  t.strictSame(breaker.ask(0), { kind: 'go' }, '10 of 1,010')
  note(breaker, BREAKER.windowMs + 10_000, 10, 0)
  const at = BREAKER.windowMs + 10_000
  t.equal(breaker.ask(at).kind, 'defer')
  note(breaker, at, 1, 0)
  t.equal(breaker.ask(at).kind, 'defer', 'the silence of what was under way changes nothing')
  note(breaker, at, 0, 1)
  t.strictSame(breaker.ask(at), { kind: 'go' }, 'an answer to what was under way')
  note(breaker, at, 9, 0)
  t.strictSame(breaker.ask(at), { kind: 'go' }, 'it begins anew')
  breaker.pause(at, 5_000)
  note(breaker, at, 0, 1)
  t.equal(breaker.ask(at).kind, 'defer', 'an answer ends no pause: who asked for patience answers')
  t.end()
})

t.test('which ends of a request count against its endpoint', t => {
  const counts = (...statuses: (number | null)[]) => [...new Set(statuses.map(isEndpointFailure))]
  t.strictSame(counts(null, 408, 425, 429, 500, 502, 503, 504, 599), [true])
  t.strictSame(counts(200, 204, 299, 301, 307, 400, 401, 403, 404, 405, 409, 410, 413, 422, 451), [false])
  t.end()
})
