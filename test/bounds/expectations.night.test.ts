// Nobody waits for what another gateway expects: as many expectations as it may have open, one with hundreds of thousands of
// payments, and tens of thousands that expire in the same second.
import t from 'tap'
import { EXPECTED_ACTS, expectMany } from './expected-acts.js'
import { holdBounds, SHARE } from './hold-bounds.js'

const sizes = { payments: 300_000 * SHARE, waiting: 1, deliveries: 1 }

t.test('nobody waits for what another gateway expects', t =>
  holdBounds(t, sizes, EXPECTED_ACTS, bounds => expectMany(t, bounds, SHARE)),
)
