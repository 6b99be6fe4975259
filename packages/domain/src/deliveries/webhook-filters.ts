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
export interface FilteredDetails {
  recipient: string | null
  tokenMint: string | null
  trackingId: string | null
  /** decimal digits; absent where nothing was paid */
  amount?: string
}

/**
 * Whether a webhook gets a payment, or a message about a policy. `unknown`: the filters need a recipient or token that is
 * not known yet, because the payment came before its policy or the policy before its user payment.
 */
export function judgeFilters(
  filters: WebhookFilters | null,
  details: FilteredDetails,
): 'passes' | 'refused' | 'unknown' {
  if (filters === null) return 'passes'
  const { recipient, tokenMint, minAmount, trackingIdPrefix } = filters
  const differs = (wanted: string | undefined, known: string | null) =>
    wanted !== undefined && known !== null && known !== wanted
  if (differs(recipient, details.recipient) || differs(tokenMint, details.tokenMint)) return 'refused'
  if (trackingIdPrefix !== undefined && !details.trackingId?.startsWith(trackingIdPrefix)) return 'refused'
  if (minAmount !== undefined && details.amount !== undefined && BigInt(details.amount) < BigInt(minAmount))
    return 'refused'
  const lacks = (wanted: string | undefined, known: string | null) => wanted !== undefined && known === null
  return lacks(recipient, details.recipient) || lacks(tokenMint, details.tokenMint) ? 'unknown' : 'passes'
}
