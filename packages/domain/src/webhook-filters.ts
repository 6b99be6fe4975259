// Which payments a webhook gets.

/** All of them must hold. */
export interface WebhookFilters {
  recipient?: string
  tokenMint?: string
  /** in the token's smallest unit, decimal digits; only with `tokenMint` */
  minAmount?: string
  trackingIdPrefix?: string
}

/** A payment or a policy, as far as it is known. */
export interface FilteredFacts {
  recipient: string | null
  tokenMint: string | null
  trackingId: string | null
  /** decimal digits; absent where nothing was paid */
  amount?: string
}

/**
 * A recipient or token that is not known yet passes: a payment can arrive before its policy, and the webhook would never
 * hear of it. The message then holds null in this field.
 */
export function passesFilters(filters: WebhookFilters | null, facts: FilteredFacts): boolean {
  if (filters === null) return true
  const { recipient, tokenMint, minAmount, trackingIdPrefix } = filters
  if (recipient !== undefined && facts.recipient !== null && facts.recipient !== recipient) return false
  if (tokenMint !== undefined && facts.tokenMint !== null && facts.tokenMint !== tokenMint) return false
  if (trackingIdPrefix !== undefined && !facts.trackingId?.startsWith(trackingIdPrefix)) return false
  return minAmount === undefined || facts.amount === undefined || BigInt(facts.amount) >= BigInt(minAmount)
}
