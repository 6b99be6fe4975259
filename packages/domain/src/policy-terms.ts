// The terms of a policy that its state depends on, read back from the text that was stored.
import type { PolicyType } from './chain-event.js'
import type { Frequency } from './due-date.js'
import { readJson, type Json } from './json.js'

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
  | { kind: 'pay-as-you-go' }
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

/**
 * The terms of a policy type that `readMessage` has checked.
 * @param text `PolicyType.text`
 * @throws TypeError when the text is no such type: it did not come from `readMessage`
 */
export function readPolicyTerms(text: PolicyType['text']): PolicyTerms {
  const [name, payload] = untag(readJson(text))
  if (name === 'PayAsYouGo') return { kind: 'pay-as-you-go' }
  const fields = payload as Fields
  if (name === 'Subscription') {
    return {
      kind: 'subscription',
      amount: BigInt(fields.amount as number | bigint),
      autoRenew: fields.auto_renew as boolean,
      maxRenewals: fields.max_renewals as number | null,
      frequency: frequencyOf(fields.payment_frequency),
      nextPaymentDue: BigInt(fields.next_payment_due as number | bigint),
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
