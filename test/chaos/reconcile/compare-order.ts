// What arrival gives: positions and `seq` without holes, `seq` in the order of commits, heads at the end.
import { isPayment, push } from '@payment-tracking/testkit/oracle'
import type { CommitChecker } from '../load/commit-checker.js'
import type { Differences } from './differences.js'
import type { StoredEvent } from './stored-events.js'

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

  const followed = new Map<string, StoredEvent[]>()
  for (const event of stored) {
    const { trackingId, seq, signature } = event
    if (isPayment(event) && trackingId !== null) push(followed, trackingId, event)
    else if (seq !== null) differences.add('seq', `${signature} has ${seq}; it should have none`)
  }
  for (const [trackingId, events] of followed) {
    const seqs = events.map(({ seq }) => seq ?? 0).sort((a, b) => a - b)
    const hole = seqs.findIndex((seq, index) => seq !== index + 1)
    if (hole >= 0) differences.add('seq', `${trackingId} has ${seqs[hole]} where ${hole + 1} belongs`)
    // An execution may get its tracking ID, and with it its `seq`, with the policy that comes after it.
    const own = events.filter(({ name }) => name === 'PaymentRecord')
    own.forEach(({ seq, signature }, index) => {
      const before = own[index - 1]
      if (before && before.seq! > seq!)
        differences.add(
          'seq',
          `${signature} of ${trackingId} has ${seq}, and ${before.seq} was stored before it`,
        )
    })
  }
  const heads = await checker.query<{ tracking_id: string; head: string }>(
    'select tracking_id, head::text from trackings',
  )
  differences.compareMaps(
    'heads',
    new Map([...followed].map(([trackingId, { length }]) => [trackingId, String(length)])),
    new Map(heads.map(row => [row.tracking_id, row.head])),
  )
}
