// What happened to each policy, in the order of the chain.
import type { ModelEvent } from './events.js'
import { inChainOrder, policyOfEvent } from './state.js'

/** The events of each policy in chain order, including retracted events. */
export async function listPolicyHistories(
  events: readonly ModelEvent[],
): Promise<ReadonlyMap<string, readonly ModelEvent[]>> {
  const histories = new Map<string, ModelEvent[]>()
  for (const event of [...events].sort(inChainOrder)) {
    const policy = await policyOfEvent(event.message)
    if (policy === null) continue
    const history = histories.get(policy)
    if (history) history.push(event)
    else histories.set(policy, [event])
  }
  return histories
}

const isNamed =
  (ending: string) =>
  ({ message }: ModelEvent): boolean =>
    message.event_name.endsWith(ending)
export const isCreated = isNamed('PolicyCreated')
export const isStatusChanged = isNamed('PolicyStatusChanged')
export const isDeleted = isNamed('PolicyDeleted')

/** The type of the message about a status change. */
export function typeOfChange({ message }: ModelEvent): string {
  const { variant } = message.data.new_status as { variant: string }
  return variant === 'Paused' ? 'subscription.paused' : 'subscription.resumed'
}
