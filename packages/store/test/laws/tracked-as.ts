// The tracking ID of a payment without a memo is that of its policy's Created event. Where the Created events of its policy
// have different memos, the payment keeps the tracking ID that it got first, because clients count by it.
// So the order of arrival decides which Created event, among those at or before the payment's position, names the tracking ID.
import {
  compare,
  createdBefore,
  trackingIdOf,
  type Model,
  type ModelPayment,
} from '@payment-tracking/testkit/oracle'
import type { Run } from './run.js'

/** The tracking IDs that a payment may have, by the payment's key. Holds only payments for which the order of arrival decides. */
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
 * The model, with the tracking IDs that a run gave to payments for which the order of arrival decides. A tracking ID that is
 * none of the payment's choices stays as the model has it, so that the law fails. In a run of one batch, the choices are only
 * the latest valid Created event, and the latest one whether it is valid or was retracted.
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
