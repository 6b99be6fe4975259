// What arrival gives: positions and `seq` without holes, `seq` in the order of positions, heads at the end.
import type { CommitChecker } from '../load/commit-checker.js'
import type { Differences } from './differences.js'
import type { StoredEvent } from './stored-events.js'

export async function compareOrder(
  checker: CommitChecker,
  stored: readonly StoredEvent[],
  differences: Differences,
): Promise<void> {
  stored.forEach(({ position, signature }, index) => {
    if (position !== index + 1)
      differences.add('positions', `${signature} is at ${position}; it should be at ${index + 1}`)
  })
  const [head] = await checker.query<{ position: string }>('select position::text from stream_head')
  if (Number(head?.position) !== stored.length) {
    differences.add('positions', `the head is at ${head?.position} after ${stored.length} events`)
  }
  const counts = new Map<string, number>()
  for (const { trackingId, seq, name, signature } of stored) {
    const counted = name === 'PaymentRecord' && trackingId !== null
    const should = counted ? (counts.get(trackingId) ?? 0) + 1 : null
    if (counted) counts.set(trackingId, should!)
    if (seq !== should)
      differences.add('seq', `${signature} of ${trackingId} has ${seq}; it should have ${should}`)
  }
  const heads = await checker.query<{ tracking_id: string; head: string }>(
    'select tracking_id, head::text from trackings',
  )
  differences.compareMaps(
    'heads',
    new Map([...counts].map(([trackingId, count]) => [trackingId, String(count)])),
    new Map(heads.map(row => [row.tracking_id, row.head])),
  )
}
