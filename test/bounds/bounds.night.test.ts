// Nobody waits for another's history: whatever happens to a gateway with hundreds of thousands of payments, waiting messages
// and deliveries, the payments of another gateway reach its socket and its endpoint in time.
import t from 'tap'
import { ACTS } from './acts.js'
import { holdBounds, SHARE } from './hold-bounds.js'

/** `BOUNDS_DOOMED=100000`: of each of the 20 endpoints of the gateway that ends, two million rows for some minutes more. */
const DOOMED = Number(process.env.BOUNDS_DOOMED ?? 10_000)
const sizes = {
  payments: 300_000 * SHARE,
  waiting: 100_000 * SHARE,
  deliveries: 10_000 * SHARE,
  doomed: DOOMED * SHARE,
}

t.test('nobody waits for another gateway', t => holdBounds(t, sizes, ACTS))
