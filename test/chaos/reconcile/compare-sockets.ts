// Compares the final knowledge of every client: the client knows all stored payments of its tracking IDs, and a
// tracking ID never has more connections than seats.
import { text, type ModelPayment } from '@payment-tracking/testkit/oracle'
import type { Hold, KnownPayment, SocketClient } from '../load/socket-client.js'
import type { Differences } from './differences.js'
import { detailsOf } from './details-of.js'
import type { StoredEvent } from './stored-events.js'

export function compareSockets(
  clients: readonly SocketClient[],
  payments: readonly ModelPayment[],
  storedOf: ReadonlyMap<string, StoredEvent>,
  seats: number,
  epoch: string,
  differences: Differences,
): void {
  const expected = new Map<string, Map<number, [ModelPayment, StoredEvent]>>()
  for (const payment of payments) {
    const stored = storedOf.get(payment.event.key)
    if (!stored || payment.trackingId === null || stored.seq === null) continue
    const ofTracking = expected.get(payment.trackingId) ?? new Map<number, [ModelPayment, StoredEvent]>()
    expected.set(payment.trackingId, ofTracking.set(stored.seq, [payment, stored]))
  }
  for (const client of clients) {
    differences.addAll(client.problems)
    for (const [trackingId, { known, retracted, epoch: knownEpoch, hold }] of client.followed) {
      // A client that was refused since the database lost commits knows only payments from before the loss.
      if (client.plan.kind === 'contender' && !hold && knownEpoch !== epoch) continue
      const say = (what: string) => differences.add('sockets', `${client.plan.name} on ${trackingId} ${what}`)
      if (knownEpoch !== epoch) say(`knows the database ${knownEpoch}; it is ${epoch}`)
      const should = expected.get(trackingId) ?? new Map<number, [ModelPayment, StoredEvent]>()
      for (const [seq, [payment, stored]] of should) {
        const got = known.get(seq)
        // More clients want this tracking ID than there are seats: what those without a seat know has no gaps, but may end early.
        if (!got && client.plan.kind === 'contender' && !hold) continue
        if (!got) say(`never knew of seq ${seq}`)
        else comparePayment(got, payment, stored, say)
        if (retracted.has(seq) && !payment.event.retracted)
          say(`was told that seq ${seq} was retracted, and it was not`)
        // A contender may have lost its seat before the retraction.
        if (payment.event.retracted && !retracted.has(seq) && (hold || client.plan.kind !== 'contender'))
          say(`was not told that seq ${seq} was retracted`)
      }
      for (const seq of known.keys()) if (!should.has(seq)) say(`knows of seq ${seq}, which is none`)
    }
  }
  // A seat that is never free again would be lost to everybody: of more clients than seats, as many have one as there are seats.
  const contenders = clients.filter(({ plan }) => plan.kind === 'contender')
  const seated = contenders.filter(({ followed }) => [...followed.values()].some(({ hold }) => hold))
  if (seated.length < seats)
    differences.add('seats', `${seated.length} of ${seats} are taken, and more are wanted`)
  compareSeats(
    clients.flatMap(({ holds }) => holds),
    seats,
    differences,
  )
}

function comparePayment(
  got: KnownPayment,
  payment: ModelPayment,
  stored: StoredEvent,
  say: (what: string) => void,
): void {
  const { signature, ...others } = detailsOf(payment)
  // A client that missed a retracted payment gets only the retraction.
  const isWhole = got.amountString !== undefined || !got.retracted
  const notified = { eventId: stored.id, signature, ...(isWhole && { ...others, position: stored.position }) }
  for (const [name, should] of Object.entries(notified)) {
    const is = got[name as keyof KnownPayment]
    if (is !== should) say(`was told ${name} ${text(is)} for seq ${got.seq}; it is ${text(should)}`)
  }
}

/**
 * Reports a tracking ID that had more connections than seats at one time. To be sure of it, this takes two payments in a
 * row, and the connections that received both. Each of these must have subscribed before the first payment arrived
 * anywhere, and must have stayed until the second had arrived everywhere.
 *
 * One payment is not enough: a paused pod may lose a seat without noticing, and still send what it had in hand.
 */
function compareSeats(holds: readonly Hold[], seats: number, differences: Differences): void {
  for (const trackingId of new Set(holds.map(hold => hold.trackingId))) {
    const ofTracking = holds.filter(hold => hold.trackingId === trackingId)
    const seqs = new Set(ofTracking.flatMap(({ pushes }) => [...pushes.keys()]))
    for (const seq of seqs) {
      const both = ofTracking.filter(({ pushes }) => pushes.has(seq) && pushes.has(seq + 1))
      if (both.length <= seats) continue
      const first = Math.min(...both.map(({ pushes }) => pushes.get(seq)!))
      const last = Math.max(...both.map(({ pushes }) => pushes.get(seq + 1)!))
      const together = both.filter(hold => hold.fromMs < first && (hold.toMs ?? Infinity) > last)
      if (together.length > seats) {
        const names = together.map(({ client }) => client).join(', ')
        differences.add(
          'seats',
          `seq ${seq} of ${trackingId} was sent to ${together.length} connections at once: ${names}`,
        )
      }
    }
  }
}
