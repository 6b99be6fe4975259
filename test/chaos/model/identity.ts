// Decides when two messages are the same event, and which fields must agree. Written only from the contract, and
// without code of the services.
import type { PlannedMessage } from '../plan/messages.js'

export type Message = PlannedMessage['message'] & object

/** Names sorted, digits as they are: one text for one meaning. The plan's own messages come in one style. */
export function sortedText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sortedText).join()}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([name, inner]) => `${JSON.stringify(name)}:${sortedText(inner)}`).join()}}`
}

/** The default key: a payment that names it as its policy is a direct transfer. */
export const NO_POLICY = '1'.repeat(32)

/** A transaction that was retracted may appear again in another slot: that is another event. */
export function identityOf(message: Message): string {
  const { signature, slot, event_name: name, index, data } = message
  if (name === 'PaymentRecord' && data.payment_policy !== NO_POLICY)
    return `payment ${slot} ${signature} ${text(data.payment_policy)} ${text(data.record_id)}`
  return index === undefined
    ? `event ${slot} ${signature} ${name} ${sortedText(data)}`
    : `event ${slot} ${signature} ${index} ${name}`
}

/** Payments of both families and direct transfers. */
export const isPayment = ({ event_name: name }: Message): boolean =>
  name === 'PaymentRecord' || name === 'ComposableExecuted'

/** What the messages of one identity must agree on. */
export const wordingOf = (message: Message): string =>
  `${message.slot} ${Date.parse(message.timestamp)} ${sortedText(message.data)}`

export const text = (value: unknown): string => String(value)
