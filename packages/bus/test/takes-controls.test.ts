import t from 'tap'
import { takesControls } from '../src/stream.js'

t.test('a stream takes control messages when its subjects have room for them', async t => {
  for (const subjects of [
    ['chain.events.>'],
    ['chain.>'],
    ['>'],
    ['chain.events.*', 'chain.events.control.*'],
    ['chain.*.control.>'],
    ['orders.*', 'chain.events.control.finalized'],
  ])
    t.equal(takesControls(subjects, 'chain.events'), true, subjects.join())
  for (const subjects of [
    ['chain.events.*'],
    ['chain.events.PaymentRecord'],
    ['chain.events.*.retracted'],
    ['chain.events.control'],
    ['other.>'],
    ['chain.events.control.finalized.>'],
  ])
    t.equal(takesControls(subjects, 'chain.events'), false, subjects.join())
})
