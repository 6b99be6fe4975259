// The layouts of all events, with every known version, the newest first. The first layout that fits a body exactly
// reads the body. A body's length does not determine its version, because options and enums vary in size. Source: the
// program's IDL and its earlier revisions; test/idl.test.ts compares the newest layouts with the stored IDL.
import { createHash } from 'node:crypto'
import {
  array,
  bool,
  byteArray,
  i64,
  key,
  option,
  struct,
  u16,
  u32,
  u64,
  type Fields,
  type ValueCodec,
} from './codecs.js'
import { COMPOSABLE_EXECUTED, COMPOSABLE_POLICY_CREATED } from './composable-layouts.js'
import { MEMO, POLICY_TYPES, STATUS } from './policy-layouts.js'

const PAYMENT: Fields = [
  ['payment_policy', key],
  ['gateway', key],
  ['amount', u64],
  ['timestamp', i64],
  ...MEMO,
  ['record_id', u32],
]

const policyCreated = (type: ValueCodec): Fields => [
  ['user_payment', key],
  ['recipient', key],
  ['gateway', key],
  ['policy_id', u32],
  ['policy_type', type],
  ...MEMO,
]

const keys = (...names: string[]): Fields => names.map(name => [name, key])
const CONFIG_KEYS = keys('admin', 'fee_recipient')

/** Every event by name; each version of its body, the newest first. */
export const EVENT_LAYOUTS: Readonly<Record<string, readonly ValueCodec[]>> = {
  PaymentRecord: [struct([...PAYMENT, ...keys('payer', 'recipient', 'token_mint')]), struct(PAYMENT)],
  PaymentPolicyCreated: POLICY_TYPES.flatMap(type => [
    struct([...policyCreated(type), ['created_policies_count', u32]]),
    struct(policyCreated(type)),
  ]),
  PaymentPolicyStatusChanged: [
    struct([
      ['payment_policy', key],
      ['old_status', STATUS],
      ['new_status', STATUS],
    ]),
  ],
  PaymentPolicyDeleted: [struct([...keys('payment_policy', 'owner'), ['policy_id', u32]])],
  UserPaymentCreated: [struct(keys('owner', 'token_account', 'token_mint'))],
  UserPaymentDeleted: [struct(keys('user_payment', 'owner', 'rent_payer'))],
  PaymentGatewayCreated: [
    struct([
      ...keys('authority', 'fee_recipient'),
      ['gateway_fee_bps', u16],
      ['name', byteArray(32)],
      ['url', byteArray(64)],
    ]),
  ],
  PaymentGatewayDeleted: [struct([...keys('gateway', 'authority'), ['name', byteArray(32)]])],
  GatewaySignerChanged: [struct(keys('gateway', 'old_signer', 'new_signer'))],
  GatewayFeeRecipientChanged: [struct(keys('gateway', 'old_fee_recipient', 'new_fee_recipient'))],
  GatewayFeeBpsChanged: [
    struct([
      ['gateway', key],
      ['old_fee_bps', u16],
      ['new_fee_bps', u16],
    ]),
  ],
  ProgramConfigCreated: [
    struct([...CONFIG_KEYS, ['protocol_share_bps', u16]]),
    struct([...CONFIG_KEYS, ['protocol_fee_bps', u16], ['max_policies_per_user', u32]]),
  ],
  ReferralRewardDistributedRecord: [
    struct([
      ...keys('payment_policy', 'gateway'),
      ['payment_amount', u64],
      ['timestamp', i64],
      [
        'rewards',
        array(
          option(
            struct([
              ['pubkey', key],
              ['reward', u64],
            ]),
          ),
          3,
        ),
      ],
    ]),
  ],
  ComposablePolicyCreated: COMPOSABLE_POLICY_CREATED,
  ComposableExecuted: COMPOSABLE_EXECUTED,
  ComposablePolicyStatusChanged: [
    struct([
      ['composable_policy', key],
      ['old_status', STATUS],
      ['new_status', STATUS],
    ]),
  ],
  ComposablePolicyDeleted: [struct([...keys('composable_policy', 'user_payment'), ['policy_id', u32]])],
  EmergencyPauseChanged: [
    struct([
      ['admin', key],
      ['was_paused', bool],
      ['is_paused', bool],
    ]),
  ],
  ProgramAuthorityChanged: [struct(keys('old_admin', 'new_admin'))],
}

/** The first fields of a policy's account, up to its own id. The layout of its type follows from its address. */
export const POLICY_ACCOUNTS: readonly ValueCodec[] = POLICY_TYPES.map(type =>
  struct([
    ...keys('user_payment', 'recipient', 'gateway'),
    ['policy_type', type],
    ['status', STATUS],
    ...MEMO,
    ['total_paid', u64],
    ['payment_count', u32],
    ['created_at', i64],
    ['updated_at', i64],
    ['policy_id', u32],
  ]),
)

export const DISCRIMINATOR_BYTES = 8

/** Anchor's mark of an event, an instruction or an account: the first 8 bytes of a hash of its kind and name. */
export const discriminatorOf = (kind: 'event' | 'global' | 'account', name: string): Buffer =>
  createHash('sha256').update(`${kind}:${name}`).digest().subarray(0, DISCRIMINATOR_BYTES)
