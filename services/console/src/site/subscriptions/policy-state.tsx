import { Badge, type Tone } from '../show/values.js'

const STATUS_TONES: Readonly<Record<string, Tone>> = { active: 'good', paused: 'wait', completed: 'plain' }
const DUE_TONES: Readonly<Record<string, Tone>> = {
  none: 'plain',
  upcoming: 'good',
  due: 'wait',
  overdue: 'bad',
  expired: 'bad',
}

export const Status = ({ value }: { value: string }) => (
  <Badge tone={STATUS_TONES[value.toLowerCase()] ?? 'plain'}>{value.toLowerCase()}</Badge>
)

export const DueState = ({ value }: { value: string }) => (
  <Badge tone={DUE_TONES[value] ?? 'plain'}>{value === 'none' ? 'nothing due' : value}</Badge>
)
