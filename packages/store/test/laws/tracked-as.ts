// The tracking ID of a payment without a memo is that of its policy's Created event. Where the Created events of its policy
// have different memos, the payment keeps what it got first (docs/decisions.md): clients count by it. So of such a payment
// the order of arrival decides among the Created events at its place or before it.
import { compare } from './model-events.js'
import { createdBefore, trackingIdOf } from './model-policy.js'
import type { Model, ModelPayment } from './model.js'
import type { Run } from './run.js'

/** By the payment's key, whatever the order of arrival. Only payments of which the order decides. */
export function trackingChoices({ payments, created }: Model): Map<string, ReadonlySet<string | null>> {
  const choices = new Map<string, ReadonlySet<string | null>>()
  for (const { event, policy } of payments.filter(isTrackedByPolicy)) {
    const before = (created.get(policy!) ?? []).filter(each => compare(each, event) <= 0)
    const memos = new Set(before.map(({ data }) => trackingIdOf(data.memo)))
    if (memos.size > 1) choices.set(event.key, memos)
  }
  return choices
}

/** No memo, or one that is no tracking ID. */
const isTrackedByPolicy = ({ event, policy }: ModelPayment): boolean =>
  policy !== null &&
  event.name === 'ComposableExecuted' &&
  (event.data.memo === undefined || trackingIdOf(event.data.memo) === null)

/**
 * What the model says when these payments are tracked as they were in a run, where that is one of their choices. In one
 * batch the choice is free only between the latest Created event that stands and the latest that was ever there.
 */
export function trackedAsIn(run: Run, model: Model): Model {
  const choices = trackingChoices(model)
  if (choices.size === 0) return model
  const found = new Map(run.payments.map(({ key, trackingId }) => [key, trackingId]))
  const payments = model.payments.map(payment => {
    const { event, policy } = payment
    const trackingId = found.get(event.key)
    const latest = [model.created.get(policy ?? '') ?? []].flatMap(ever => [
      createdBefore(ever, event),
      createdBefore(
        ever.filter(({ retracted }) => !retracted),
        event,
      ),
    ])
    const may =
      run.batches.length === 1
        ? new Set(latest.flatMap(each => (each ? [trackingIdOf(each.data.memo)] : [])))
        : choices.get(event.key)
    return choices.has(event.key) && trackingId !== undefined && may!.has(trackingId)
      ? { ...payment, trackingId }
      : payment
  })
  return { ...model, payments }
}
