import type { Schemas } from '@payment-tracking/client'

export type EventType = Schemas['Webhook']['eventTypes'][number]

/** Written as a record, so that a new event type of the API does not compile until it stands here. */
const TITLES: Record<EventType, string> = {
  'payment.executed': 'a payment',
  'payment.retracted': 'a payment that the chain took back',
  'subscription.created': 'a new subscription',
  'subscription.paused': 'a pause',
  'subscription.resumed': 'the end of a pause',
  'subscription.completed': 'the last payment',
  'subscription.deleted': 'a deletion',
  'subscription.due_soon': 'a payment that is due soon',
  'subscription.overdue': 'a payment that is overdue',
  'subscription.expired': 'an end by date',
  'webhook.failing': 'another endpoint that fails',
  'webhook.deactivated': 'another endpoint that was deactivated',
}

export const EVENT_TYPES = Object.keys(TITLES) as EventType[]

export function EventTypes({
  chosen,
  onChange,
}: {
  chosen: readonly EventType[]
  onChange: (types: readonly EventType[]) => void
}) {
  return (
    <fieldset>
      <legend>Tell of</legend>
      <div className="columns">
        {EVENT_TYPES.map(type => (
          <label key={type}>
            <input
              type="checkbox"
              checked={chosen.includes(type)}
              onChange={event =>
                onChange(event.target.checked ? [...chosen, type] : chosen.filter(each => each !== type))
              }
            />
            <code>{type}</code> <small className="quiet">{TITLES[type]}</small>
          </label>
        ))}
      </div>
    </fieldset>
  )
}
