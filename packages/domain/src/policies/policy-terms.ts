// The terms of a policy that its state depends on, read back from the text that was stored.
import type { PolicyType } from '../messages/chain-event.js'
import type { Frequency } from './due-date.js'
import { readJson, type Json } from '../json/json.js'

export type PolicyTerms =
  | {
      kind: 'subscription'
      /** u64, in the token's smallest unit */
      amount: bigint
      autoRenew: boolean
      maxRenewals: number | null
      frequency: Frequency
      /** Unix seconds, as created */
      nextPaymentDue: bigint
    }
  | { kind: 'milestone'; currentMilestone: number; totalMilestones: number }
  | {
      kind: 'pay-as-you-go'
      periodLengthSeconds: bigint
      /** Unix seconds, as created */
      periodStart: bigint
      /** as created: what was paid in the first period before */
      periodTotal: bigint
      /** Unix seconds; null or not above 0: never */
      expiryDate: bigint | null
    }
  | {
      kind: 'one-time'
      /** u64, in the token's smallest unit */
      amount: bigint
      /** Unix seconds; not above 0: at once */
      dueDate: bigint
      expiryDate: bigint | null
    }
  | { kind: 'up-to'; deadline: bigint }
  | { kind: 'unknown' }

type Fields = Record<string, Json>

/** The one key of a tagged enum, and what it holds. */
function untag(text: Json | undefined): [name: string, payload: Json] {
  const [entry] = Object.entries(text as Fields)
  if (entry === undefined) throw new TypeError('an enum has one key')
  return entry
}

function frequencyOf(tagged: Json | undefined): Frequency {
  const [name, payload] = untag(tagged)
  return name === 'Custom' ? { name, seconds: BigInt(payload as number | bigint) } : { name }
}

const integerOf = (value: Json | undefined): bigint => BigInt(value as number | bigint)
const optionalIntegerOf = (value: Json | undefined): bigint | null =>
  (value ?? null) === null ? null : integerOf(value)

/**
 * The terms of a policy type that `readMessage` has checked.
 * @param text `PolicyType.text`
 * @throws TypeError when the text is no such type: it did not come from `readMessage`
 */
export function readPolicyTerms(text: PolicyType['text']): PolicyTerms {
  const [name, payload] = untag(readJson(text))
  const fields = payload as Fields
  if (name === 'PayAsYouGo') {
    return {
      kind: 'pay-as-you-go',
      periodLengthSeconds: integerOf(fields.period_length_seconds),
      periodStart: integerOf(fields.current_period_start),
      periodTotal: integerOf(fields.current_period_total),
      expiryDate: optionalIntegerOf(fields.expiry_date),
    }
  }
  if (name === 'OneTime') {
    return {
      kind: 'one-time',
      amount: integerOf(fields.amount),
      dueDate: integerOf(fields.due_date),
      expiryDate: optionalIntegerOf(fields.expiry_date),
    }
  }
  if (name === 'UpTo') return { kind: 'up-to', deadline: integerOf(fields.deadline) }
  if (name === 'Subscription') {
    return {
      kind: 'subscription',
      amount: integerOf(fields.amount),
      autoRenew: fields.auto_renew as boolean,
      maxRenewals: fields.max_renewals as number | null,
      frequency: frequencyOf(fields.payment_frequency),
      nextPaymentDue: integerOf(fields.next_payment_due),
    }
  }
  if (name === 'Milestone') {
    return {
      kind: 'milestone',
      currentMilestone: fields.current_milestone as number,
      totalMilestones: fields.total_milestones as number,
    }
  }
  return { kind: 'unknown' }
}
