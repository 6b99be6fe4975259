// What a policy's terms say, whatever its type.
import type { Schemas } from '@payment-tracking/client'

export type Subscription = Schemas['SubscriptionRecord']

export interface PolicyTerms {
  type: string
  /** of one payment; null for types without one amount */
  amount: string | null
  /** the name of the frequency, with the seconds of a custom one */
  frequency: string | null
  /** Unix seconds */
  nextDue: number | null
  /** every field of the terms, for people who know the program */
  fields: readonly (readonly [name: string, value: string])[]
}

type Fields = Record<string, unknown>

const textOf = (value: unknown): string =>
  value === null
    ? 'none'
    : typeof value === 'object'
      ? JSON.stringify(value, (_key, part: unknown) => (typeof part === 'bigint' ? part.toString() : part))
      : (value as { toString: () => string }).toString()

export function termsOf({ policyType }: Pick<Subscription, 'policyType'>): PolicyTerms {
  const [type = 'unknown', given] = Object.entries(policyType)[0] ?? []
  const fields = (given ?? {}) as Fields
  const amount = fields.amount ?? fields.maxAmount ?? null
  const due = fields.nextPaymentDue ?? fields.dueDate ?? null
  return {
    type,
    amount: amount === null ? null : textOf(amount),
    frequency: frequencyOf(fields.paymentFrequency as Fields | undefined),
    nextDue: typeof due === 'number' && due > 0 ? due : null,
    fields: Object.entries(fields).map(([name, value]) => [name, textOf(value)] as const),
  }
}

function frequencyOf(frequency: Fields | undefined): string | null {
  if (frequency === undefined) return null
  const [name = 'unknown', seconds] = Object.entries(frequency)[0] ?? []
  return seconds === null || seconds === undefined ? name : `${name} (${textOf(seconds)} s)`
}
