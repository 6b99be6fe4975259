import type { Schemas } from '@payment-tracking/client'

type EventType = Schemas['Webhook']['eventTypes'][number]

/** Written as a record, so that a new event type of the API does not compile until it stands here. */
const TITLES: Record<EventType, string> = {
  'payment.executed': 'Payment received',
  'payment.retracted': 'Payment reversed on the chain',
  'subscription.created': 'Subscription created',
  'subscription.paused': 'Subscription paused',
  'subscription.resumed': 'Subscription resumed',
  'subscription.completed': 'Subscription completed',
  'subscription.deleted': 'Subscription deleted',
  'subscription.due_soon': 'Payment due soon',
  'subscription.overdue': 'Payment overdue',
  'subscription.expired': 'Subscription expired',
  'subscription.at_risk': 'Upcoming payment will fail',
  'subscription.at_risk_cleared': 'Upcoming payment no longer at risk',
  'expectation.paid': 'Expected payment received',
  'expectation.underpaid': 'Expected payment received in part',
  'expectation.overpaid': 'Expected payment exceeded',
  'expectation.expired': 'Expected payment expired',
  'expectation.reopened': 'Expected payment reversed on the chain',
  'webhook.failing': 'Another endpoint is failing',
  'webhook.deactivated': 'Another endpoint was deactivated',
}

const EVENT_TYPES = Object.keys(TITLES) as EventType[]

/** As the API takes it. */
export interface ChosenEvents {
  eventTypes: EventType[]
  finality: 'confirmed' | 'finalized'
}

export const eventsOf = ({ eventTypes, finality }: ChosenEvents): ChosenEvents => ({ eventTypes, finality })

/** Which events an endpoint is notified of, and when. */
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
