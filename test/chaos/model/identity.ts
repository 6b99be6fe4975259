// What makes two messages the same event, and what they must agree on: written from the contract alone, and
// sharing no code with the services.
import type { PlannedMessage } from '../plan/messages.js'

export type Message = PlannedMessage['message'] & object

/** Names sorted, digits as they are: one text for one meaning. The plan's own messages come in one style. */
export function sortedText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sortedText).join()}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([name, inner]) => `${JSON.stringify(name)}:${sortedText(inner)}`).join()}}`
}

export function identityOf(message: Message): string {
  const { signature, event_name: name, index, data } = message
  if (name === 'PaymentRecord')
    return `payment ${signature} ${text(data.payment_policy)} ${text(data.record_id)}`
  return index === undefined
    ? `event ${signature} ${name} ${sortedText(data)}`
    : `event ${signature} ${index} ${name}`
}

/** What the messages of one identity must agree on. */
export const wordingOf = (message: Message): string =>
  `${message.slot} ${Date.parse(message.timestamp)} ${sortedText(message.data)}`

export const text = (value: unknown): string => String(value)
