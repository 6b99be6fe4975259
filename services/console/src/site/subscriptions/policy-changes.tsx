// What happened to a subscription beside its payments, newest first.
import type { Payment } from '../payments/use-live-payments.js'
import { ExactTime } from '../show/values.js'
import { changeWords } from './change-words.js'

export function PolicyChanges({ changes }: { changes: readonly Payment[] }) {
  if (changes.length === 0) return null
  return (
    <ul>
      {changes.map(({ id, eventName, data, timestamp }) => (
        <li key={id}>
          {changeWords(eventName, data)} <ExactTime at={timestamp} />
        </li>
      ))}
    </ul>
  )
}
