// What arrival gives: positions and `seq` without holes, `seq` in the order of commits, heads at the end.
import { isPayment } from '@payment-tracking/testkit/oracle'
import type { CommitChecker } from '../load/commit-checker.js'
import type { Differences } from './differences.js'
import type { StoredEvent } from './stored-events.js'

interface BatchRow {
  first: string
  last: string
}

export async function compareOrder(
  checker: CommitChecker,
  stored: readonly StoredEvent[],
  finalizedSlot: number,
  differences: Differences,
): Promise<void> {
  stored.forEach(({ position, signature }, index) => {
    if (position !== index + 1)
      differences.add('positions', `${signature} is at ${position}; it should be at ${index + 1}`)
  })
  const [head] = await checker.query<{ position: string; finalized: string }>(
    'select position::text, finalized_slot::text as finalized from stream_head',
  )
  if (Number(head?.position) !== stored.length)
    differences.add('positions', `the head is at ${head?.position} after ${stored.length} events`)
  if (Number(head?.finalized) !== finalizedSlot)
    differences.add('finality', `slot ${head?.finalized} is taken for final; it should be ${finalizedSlot}`)

  const batches = await checker.query<BatchRow>(
    'select first_position::text as first, last_position::text as last from ingest_batches order by first_position',
  )
  const counts = new Map<string, number>()
  for (const { trackingId, seq, signature } of inOrderOfSeq(stored, batches)) {
    const should = (counts.get(trackingId!) ?? 0) + 1
    counts.set(trackingId!, should)
    if (seq !== should)
      differences.add('seq', `${signature} of ${trackingId} has ${seq}; it should have ${should}`)
  }
  for (const event of stored)
    if (event.seq !== null && (!isPayment(event) || event.trackingId === null))
      differences.add('seq', `${event.signature} has ${event.seq}; it should have none`)
  const heads = await checker.query<{ tracking_id: string; head: string }>(
    'select tracking_id, head::text from trackings',
  )
  differences.compareMaps(
    'heads',
    new Map([...counts].map(([trackingId, count]) => [trackingId, String(count)])),
    new Map(heads.map(row => [row.tracking_id, row.head])),
  )
}

/**
 * Payments with a tracking ID, in the order of the commits that gave them the tracking ID: at their own position,
 * except an execution whose policy came later. Such an execution comes at the end of the batch with the first Created
 * event. Several of them in one batch are of one commit: their `seq` may come in any order.
 */
function inOrderOfSeq(stored: readonly StoredEvent[], batches: readonly BatchRow[]): StoredEvent[] {
  const firstCreated = new Map<string, number>()
  for (const { name, paymentPolicy, position } of stored)
    if (name === 'ComposablePolicyCreated' && paymentPolicy !== null && !firstCreated.has(paymentPolicy))
      firstCreated.set(paymentPolicy, position)
  const endOfBatch = (position: number): number =>
    Number(batches.find(({ last }) => Number(last) >= position)?.last ?? position)
  const isOwn = ({ name, dataText }: StoredEvent): boolean =>
    name === 'PaymentRecord' || ((JSON.parse(dataText) as { memo?: number[] | null }).memo ?? null) !== null
  const ordered = stored
    .filter(event => isPayment(event) && event.trackingId !== null)
    .map(event => {
      const created = isOwn(event) ? 0 : (firstCreated.get(event.paymentPolicy ?? '') ?? 0)
      const isLate = created > event.position && endOfBatch(event.position) !== endOfBatch(created)
      return { event, at: isLate ? endOfBatch(created) : event.position, isLate }
    })
  ordered.sort(
    (a, b) =>
      a.at - b.at ||
      Number(a.isLate) - Number(b.isLate) ||
      (a.isLate ? (a.event.seq ?? 0) - (b.event.seq ?? 0) : a.event.position - b.event.position),
  )
  return ordered.map(({ event }) => event)
}
