import t from 'tap'
import { DELIVERY_STATES, isOpenDelivery, NEXT_DELIVERY_STATE } from '../src/delivery-state.js'

t.test('an end is left only by a redelivery, or by an acceptance that comes late', t => {
  for (const state of DELIVERY_STATES.filter(state => !isOpenDelivery(state))) {
    for (const [event, next] of Object.entries(NEXT_DELIVERY_STATE[state])) {
      const expected = event === 'redelivered' ? 'pending' : event === 'accepted' ? 'delivered' : state
      t.equal(next, expected, `${state} ${event}`)
    }
  }
  t.end()
})

t.test('whatever is open can end, and an acceptance always delivers', t => {
  for (const state of DELIVERY_STATES) t.equal(NEXT_DELIVERY_STATE[state].accepted, 'delivered')
  for (const state of DELIVERY_STATES.filter(isOpenDelivery)) {
    t.equal(NEXT_DELIVERY_STATE[state].exhausted, 'failed')
    t.equal(NEXT_DELIVERY_STATE[state].cancelled, 'cancelled')
    t.equal(NEXT_DELIVERY_STATE[state].refused, 'pending')
  }
  t.end()
})
