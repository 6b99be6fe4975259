// `seq` counts the payments of a tracking ID from 1 without holes, in the order of commits.
import { labelOf, push } from '@payment-tracking/testkit/oracle'
import type { Run } from './run.js'

/** @returns a line for each tracking ID that is counted wrongly */
export function findSeqProblems({ committed, payments, tables, keyOfId }: Run): string[] {
  const problems: string[] = []
  const heads = new Map(tables.trackings.map(({ tracking_id: id, head }) => [String(id), Number(head)]))
  const seqs = new Map<string, number[]>()
  const seqOf = new Map<string, number | null>()
  for (const { id, trackingId, seq } of payments) {
    seqOf.set(id, seq)
    if ((trackingId === null) !== (seq === null))
      problems.push(`${shown(keyOfId, id)} has ${trackingId} and seq ${seq}`)
    if (trackingId === null || seq === null) continue
    push(seqs, trackingId, seq)
  }
  for (const trackingId of new Set([...heads.keys(), ...seqs.keys()])) {
    const given = (seqs.get(trackingId) ?? []).sort((a, b) => a - b)
    const isDense = given.every((seq, at) => seq === at + 1) && given.length === heads.get(trackingId)
    if (!isDense) problems.push(`${trackingId}: seq ${given.join()}, head ${heads.get(trackingId)}`)
  }
  const last = new Map<string, number>()
  for (const [nth, batch] of committed.entries()) {
    for (const { eventId, trackingId, seq } of batch.payments) {
      if (seq !== seqOf.get(eventId)) problems.push(`${shown(keyOfId, eventId)}: handed over as seq ${seq}`)
      if (trackingId === null || seq === null) continue
      if (seq <= (last.get(trackingId) ?? 0))
        problems.push(`${trackingId}: seq ${seq} comes late, in batch ${nth + 1}`)
      last.set(trackingId, seq)
    }
  }
  const positions = tables.events.map(({ position }) => Number(position)).sort((a, b) => a - b)
  const isWhole = positions.every((position, at) => position === at + 1)
  if (!isWhole || positions.length !== Number(tables.head[0]!.position))
    problems.push(`positions ${positions.join()}, head ${tables.head[0]!.position}`)
  return problems
}

const shown = (keyOfId: ReadonlyMap<string, string>, id: string): string =>
  (keyOfId.get(id) ?? id).split(' ').map(labelOf).join(' ')
