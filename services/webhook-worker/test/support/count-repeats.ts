import type { Receiver } from '@payment-tracking/testkit'
import type { Test } from 'tap'

/** Counts the repeated requests, and checks that each repeat has the id and body of its first request. */
export function countRepeats(t: Test, receiver: Receiver, deliveries: number): void {
  const bodies = new Map<string, string>()
  for (const { headers, body } of receiver.requests) {
    const id = String(headers['webhook-id'])
    if (bodies.has(id)) t.equal(bodies.get(id), body, 'a repeat is the same bytes')
    bodies.set(id, body)
  }
  t.equal(bodies.size, deliveries, 'none was lost')
  t.comment(`${receiver.requests.length - bodies.size} repeats of ${deliveries} deliveries`)
}
