import type { Schemas } from '@payment-tracking/client'
import { Badge, type Tone } from '../show/values.js'

export type Expectation = Schemas['Expectation']

const TONES: Record<Expectation['state'], Tone> = {
  open: 'wait',
  underpaid: 'wait',
  paid: 'good',
  overpaid: 'good',
  expired: 'bad',
  cancelled: 'plain',
}

export function ExpectationState({ state, late }: Pick<Expectation, 'state' | 'late'>) {
  return (
    <>
      <Badge tone={TONES[state]}>{state}</Badge> {late && <Badge tone="plain">late</Badge>}
    </>
  )
}
