// The events that each instruction of the program must emit. Instructions are recorded apart from the log and are never
// truncated, so an event that an attacker pushed out of the log is still noticed as missing.
import { DISCRIMINATOR_BYTES, discriminatorOf } from './layouts.js'

/** How many events of a name one execution of an instruction emits. */
interface Expected {
  name: string
  min: number
  max: number
}

const once = (name: string): readonly Expected[] => [{ name, min: 1, max: 1 }]
const NOTHING: readonly Expected[] = []
const PAYMENT: readonly Expected[] = [
  { name: 'PaymentRecord', min: 1, max: 1 },
  { name: 'ReferralRewardDistributedRecord', min: 0, max: 1 },
]

/** Every instruction of the program, by its name in the IDL. */
export const INSTRUCTION_EVENTS: Readonly<Record<string, readonly Expected[]>> = {
  initialize: once('ProgramConfigCreated'),
  create_user_payment: once('UserPaymentCreated'),
  delete_user_payment: once('UserPaymentDeleted'),
  create_payment_gateway: once('PaymentGatewayCreated'),
  delete_payment_gateway: once('PaymentGatewayDeleted'),
  create_payment_policy: once('PaymentPolicyCreated'),
  delete_payment_policy: once('PaymentPolicyDeleted'),
  change_payment_policy_status: once('PaymentPolicyStatusChanged'),
  change_gateway_signer: once('GatewaySignerChanged'),
  change_gateway_fee_recipient: once('GatewayFeeRecipientChanged'),
  change_gateway_fee_bps: once('GatewayFeeBpsChanged'),
  create_composable_policy: once('ComposablePolicyCreated'),
  delete_composable_policy: once('ComposablePolicyDeleted'),
  change_composable_status: once('ComposablePolicyStatusChanged'),
  execute_composable: once('ComposableExecuted'),
  set_emergency_pause: once('EmergencyPauseChanged'),
  change_program_authority: once('ProgramAuthorityChanged'),
  execute_payment: PAYMENT,
  transfer: PAYMENT,
  create_referral_account: NOTHING,
  update_gateway_feature_flags: NOTHING,
  update_gateway_protocol_fee: NOTHING,
  update_gateway_referral_settings: NOTHING,
  update_gateway_scheduler_share: NOTHING,
}

/** Anchor's own instruction for storing an IDL on the chain. */
const IDL_INSTRUCTION = '0a69e9a778bcf440'

const BY_DISCRIMINATOR = new Map<string, { name: string; expected: readonly Expected[] }>([
  ...Object.entries(INSTRUCTION_EVENTS).map(
    ([name, expected]) => [discriminatorOf('global', name).toString('hex'), { name, expected }] as const,
  ),
  [IDL_INSTRUCTION, { name: 'idl', expected: NOTHING }],
])

/** Until this time (Unix seconds, 2025-10-27) the program emitted only PaymentRecord. */
const FIRST_EVENTS_AT = 1_761_523_200

/** Whether an instruction emitted all required events. */
export type Completeness = 'complete' | 'missing' | 'unexpected' | 'unknown-instruction'

/**
 * Compares the emitted events of an instruction with the required events.
 * @param names the readable events of its frame
 * @param unread how many data lines of its frame were unreadable; each may be any expected event
 * @param blockTime Unix seconds
 */
export function checkEmitted(
  instructionData: Uint8Array,
  names: readonly string[],
  unread: number,
  blockTime: number,
): { instruction: string; completeness: Completeness } {
  const discriminator = Buffer.from(instructionData.subarray(0, DISCRIMINATOR_BYTES)).toString('hex')
  const known = BY_DISCRIMINATOR.get(discriminator)
  if (known === undefined) return { instruction: discriminator, completeness: 'unknown-instruction' }
  const { name: instruction, expected } = known
  const count = (name: string) => names.filter(each => each === name).length
  const missing = expected.reduce((sum, { name, min }) => {
    const excused = blockTime < FIRST_EVENTS_AT && name !== 'PaymentRecord'
    return sum + (excused ? 0 : Math.max(0, min - count(name)))
  }, 0)
  if (missing > unread) return { instruction, completeness: 'missing' }
  const most = expected.reduce((sum, { max }) => sum + max, 0)
  const surplus =
    names.some(each => !expected.some(({ name }) => name === each)) ||
    expected.some(({ name, max }) => count(name) > max) ||
    names.length + unread > most
  return { instruction, completeness: surplus ? 'unexpected' : 'complete' }
}
