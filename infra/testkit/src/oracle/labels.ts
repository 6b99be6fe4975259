// Names of addresses, signatures and keys, for failures that people read.
import { DIRECT_TRANSFER_POLICY } from '@payment-tracking/domain'

export { DIRECT_TRANSFER_POLICY as NO_POLICY } from '@payment-tracking/domain'

const labels = new Map<string, string>([[DIRECT_TRANSFER_POLICY, 'no policy']])

/** The name that `label` gave to the text, or the text itself. */
export const labelOf = (text: string): string => labels.get(text) ?? text

/** Gives a text the name under which failures print it. @returns the text */
export function label(text: string, name: string): string {
  labels.set(text, name)
  return text
}
