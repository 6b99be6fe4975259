import type { Schemas } from '@payment-tracking/client'
import { Badge, type Tone } from '../show/values.js'
import { WORDS, type Word } from '../show/words.js'

export type CustomerState = Schemas['Subscriber']['state']

const STATES: Readonly<Record<CustomerState, { tone: Tone; name: string; word: Word }>> = {
  overdue: { tone: 'bad', name: 'overdue', word: 'overdue customer' },
  at_risk: { tone: 'wait', name: 'at risk', word: 'customer at risk' },
  active: { tone: 'good', name: 'active', word: 'active customer' },
  ended: { tone: 'plain', name: 'ended', word: 'ended' },
  never_paid: { tone: 'plain', name: 'never paid', word: 'never paid' },
}

export const CustomerStateBadge = ({ value }: { value: CustomerState }) => (
  <span title={WORDS[STATES[value].word]}>
    <Badge tone={STATES[value].tone}>{STATES[value].name}</Badge>
  </span>
)
