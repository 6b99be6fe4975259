import type { Schemas } from '@payment-tracking/client'

type EventType = Schemas['Webhook']['eventTypes'][number]

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
  'subscription.at_risk': 'a due payment that will fail',
  'subscription.at_risk_cleared': 'the end of such a risk',
  'expectation.paid': 'an expected payment that came',
  'expectation.underpaid': 'a part of an expected payment',
  'expectation.overpaid': 'more than was expected',
  'expectation.expired': 'an expected payment that did not come',
  'expectation.reopened': 'an expected payment that the chain took back',
  'webhook.failing': 'another endpoint that fails',
  'webhook.deactivated': 'another endpoint that was deactivated',
}

const EVENT_TYPES = Object.keys(TITLES) as EventType[]

/** As the API takes it. */
export interface ChosenEvents {
  eventTypes: EventType[]
  finality: 'confirmed' | 'finalized'
}

export const eventsOf = ({ eventTypes, finality }: ChosenEvents): ChosenEvents => ({ eventTypes, finality })

/** Which events an endpoint is told of, and when. */
export function EventChoice({
  chosen,
  onChange,
}: {
  chosen: ChosenEvents
  onChange: (events: ChosenEvents) => void
}) {
  const { eventTypes } = chosen
  return (
    <fieldset>
      <legend>Subscribe to</legend>
      <div className="columns">
        {EVENT_TYPES.map(type => (
          <label key={type} className="tick">
            <input
              type="checkbox"
              checked={eventTypes.includes(type)}
              onChange={event =>
                onChange({
                  ...chosen,
                  eventTypes: event.target.checked
                    ? [...eventTypes, type]
                    : eventTypes.filter(each => each !== type),
                })
              }
            />
            <span>
              <code>{type}</code>
              <br />
              <small className="quiet">{TITLES[type]}</small>
            </span>
          </label>
        ))}
      </div>
      <label className="tick">
        <input
          type="checkbox"
          checked={chosen.finality === 'finalized'}
          onChange={event =>
            onChange({ ...chosen, finality: event.target.checked ? 'finalized' : 'confirmed' })
          }
        />
        Only final payments
      </label>
    </fieldset>
  )
}
