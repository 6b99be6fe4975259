import type { Schemas } from '@payment-tracking/client'
import { Badge, type Tone } from '../show/values.js'

export type CustomerState = Schemas['Subscriber']['state']

const STATES: Readonly<Record<CustomerState, { tone: Tone; name: string; means: string }>> = {
  overdue: { tone: 'bad', name: 'overdue', means: 'A payment is past its due date and the grace time.' },
  at_risk: { tone: 'wait', name: 'at risk', means: 'The next payment will not come as things stand.' },
  active: { tone: 'good', name: 'active', means: 'The wallet has an active policy.' },
  ended: { tone: 'plain', name: 'ended', means: 'The wallet paid once, and nothing is active any more.' },
  never_paid: { tone: 'plain', name: 'never paid', means: 'Nothing was paid, and nothing is active.' },
}

export const CustomerStateBadge = ({ value }: { value: CustomerState }) => (
  <span title={STATES[value].means}>
    <Badge tone={STATES[value].tone}>{STATES[value].name}</Badge>
  </span>
)
