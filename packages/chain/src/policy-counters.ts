import { derivePolicy } from '@payment-tracking/domain'
import { readExactly, type Value } from './codecs.js'
import { DISCRIMINATOR_BYTES, discriminatorOf, POLICY_ACCOUNTS } from './layouts.js'

const POLICY_ACCOUNT = discriminatorOf('account', 'PaymentPolicy')

/**
 * Reads how many payments the program has counted for a policy. The account's address proves that the layout was right:
 * the address depends on the user payment and the policy's id, which stands after the count.
 * @returns null when the account is not a policy with a known layout
 */
export function readPaymentCount(account: Uint8Array, address: string, programId: string): number | null {
  if (!POLICY_ACCOUNT.equals(account.subarray(0, DISCRIMINATOR_BYTES))) return null
  for (const layout of POLICY_ACCOUNTS) {
    const policy = readPrefix(layout, account.subarray(DISCRIMINATOR_BYTES))
    if (policy === undefined) continue
    const { user_payment, policy_id, payment_count } = policy as Record<string, Value>
    if (derivePolicy(programId, user_payment as string, policy_id as number) === address)
      return payment_count as number
  }
  return null
}

/** Like `readExactly`, for an account, which ends in reserved space. */
function readPrefix(layout: (typeof POLICY_ACCOUNTS)[number], bytes: Uint8Array): Value | undefined {
  try {
    const [, end] = layout.read(bytes, 0)
    return readExactly(layout, bytes.subarray(0, end))
  } catch {
    return undefined
  }
}
