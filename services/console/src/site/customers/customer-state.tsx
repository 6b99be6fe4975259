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

const ONE_TIME = { tone: 'plain', name: 'one-time', word: 'one-time' } as const

/** Who only ever bought has not ended anything. */
export function CustomerStateBadge({ value, oneTime }: { value: CustomerState; oneTime: boolean }) {
  const { tone, name, word } = value === 'ended' && oneTime ? ONE_TIME : STATES[value]
  return (
    <span title={WORDS[word]}>
      <Badge tone={tone}>{name}</Badge>
    </span>
  )
}
