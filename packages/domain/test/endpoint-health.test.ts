import { endpointHealth } from '@payment-tracking/domain'
import t from 'tap'

t.test('an endpoint fails where it accepts fewer than half of its newest requests', t => {
  const hour = (accepted: number, requests: number) => ({ accepted, requests })
  for (const [hours, health] of [
    [[], 'untried'],
    [[hour(0, 0)], 'untried'],
    [[hour(0, 4)], 'healthy'],
    [[hour(0, 5)], 'failing'],
    [[hour(0, 125)], 'failing'],
    [[hour(2, 5)], 'failing'],
    [[hour(3, 6)], 'healthy'],
    [[hour(0, 2), hour(0, 0), hour(1, 3)], 'failing'],
    // It has recovered in the hour that runs, or began to fail in it.
    [[hour(9, 9), hour(0, 500)], 'healthy'],
    [[hour(0, 9), hour(500, 500)], 'failing'],
  ] as const)
    t.equal(endpointHealth(true, hours), health, JSON.stringify(hours))
  t.equal(endpointHealth(false, [hour(0, 9)]), 'off')
  t.end()
})
