// Names of addresses, signatures and keys, for failures that people read.

/** The default key: a payment that names it as its policy is a direct transfer. */
export const NO_POLICY = '1'.repeat(32)

const labels = new Map<string, string>([[NO_POLICY, 'no policy']])

/** The name that `label` gave to the text, or the text itself. */
export const labelOf = (text: string): string => labels.get(text) ?? text

/** Gives a text the name under which failures print it. @returns the text */
export function label(text: string, name: string): string {
  labels.set(text, name)
  return text
}
