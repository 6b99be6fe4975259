// Whether an event was ever final. A transaction that is said to be final and retracted later depends on the arrival.
import { isEvent, type ResolvedEvent } from '@payment-tracking/testkit/oracle'
import type { Run } from './run.js'

/** Of a retracted event: whether it arrived and was final in a batch before its retraction. */
export function wasEverFinal(
  { batches }: Run,
  { signature, slot, key, retracted, isFinal }: ResolvedEvent,
): boolean {
  if (!retracted) return isFinal
  let hasArrived = false
  let isSaid = false
  for (const batch of batches) {
    const own = batch.filter(
      message => message.kind !== 'finalized' && message.signature === signature && message.slot === slot,
    )
    if (own.some(({ kind }) => kind === 'retracted')) return false
    hasArrived ||= own.length > 0
    isSaid ||= own.some(message => isEvent(message) && message.finalized && key.includes(message.name))
    isSaid ||= batch.some(message => message.kind === 'finalized' && message.slot >= slot)
    if (hasArrived && isSaid) return true
  }
  return false
}
