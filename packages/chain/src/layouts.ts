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
  padding,
  PADDING,
  struct,
  taggedEnum,
  u16,
  u32,
  u64,
  u8,
  type Fields,
  type ValueCodec,
} from './codecs.js'

const MEMO: Fields = [['memo', byteArray(64)]]

const STATUS = taggedEnum([
  ['Active', null],
  ['Paused', null],
  ['Completed', null],
])

const FREQUENCY = taggedEnum([
  ['Daily', null],
  ['Weekly', null],
  ['Monthly', null],
  ['Quarterly', null],
  ['SemiAnnually', null],
  ['Annually', null],
  ['Custom', u64],
])

const PAY_AS_YOU_GO: Fields = [
  ['max_amount_per_period', u64],
  ['max_chunk_amount', u64],
  ['period_length_seconds', u64],
  ['current_period_start', i64],
  ['current_period_total', u64],
]

const policyType = (payAsYouGo: Fields) =>
  taggedEnum([
    [
      'Subscription',
      struct([
        ['amount', u64],
        ['auto_renew', bool],
        ['max_renewals', option(u32)],
        ['payment_frequency', FREQUENCY],
        ['next_payment_due', i64],
        [PADDING, padding(97)],
      ]),
    ],
    [
      'Milestone',
      struct([
        ['milestone_amounts', array(u64, 4)],
        ['milestone_timestamps', array(i64, 4)],
        ['current_milestone', u8],
        ['release_condition', u8],
        ['total_milestones', u8],
        ['escrow_amount', u64],
        [PADDING, padding(53)],
      ]),
    ],
    ['PayAsYouGo', struct([...PAY_AS_YOU_GO, ...payAsYouGo])],
    [
      'OneTime',
      struct([
        ['amount', u64],
        ['due_date', i64],
        ['expiry_date', option(i64)],
        [PADDING, padding(103)],
      ]),
    ],
    [
      'UpTo',
      struct([
        ['max_amount', u64],
        ['valid_after', i64],
        ['deadline', i64],
        [PADDING, padding(104)],
      ]),
    ],
  ])

/** PayAsYouGo got an expiry date, which took 9 bytes (or 1) of its padding. */
const POLICY_TYPES: readonly ValueCodec[] = [
  policyType([
    ['expiry_date', option(i64)],
    [PADDING, padding(79)],
  ]),
  policyType([[PADDING, padding(88)]]),
]

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

const DATA_CHECKS = array(
  struct([
    ['offset', u8],
    ['length', u8],
    ['expected', byteArray(8)],
  ]),
  4,
)

const FORWARD_CONFIG = struct([
  [
    'instruction_constraint',
    struct([
      ['program_id', key],
      ['num_data_checks', u8],
      ['data_checks', DATA_CHECKS],
      ['num_pinned_accounts', u8],
      [
        'pinned_accounts',
        array(
          struct([
            ['index', u8],
            ['pubkey', key],
          ]),
          4,
        ),
      ],
    ]),
  ],
  ['input_mint', key],
  ['output_mint', key],
  ['forward_flags', u8],
])

const FIRST_FORWARD_CONFIG = struct([
  ['target_program', key],
  ['input_mint', key],
  ['output_mint', key],
  ['min_output_amount', option(u64)],
  ['forward_flags', u8],
  ['num_data_checks', u8],
  ['data_checks', DATA_CHECKS],
])

const VALIDATION = taggedEnum([
  ['Disabled', null],
  ['ProgramCall', struct([['program_id', key]])],
  ['Inline', struct([['reserved', u8]])],
])

const composableCreated = (memoBytes: number, rest: Fields) =>
  POLICY_TYPES.map(type =>
    struct([
      ['composable_policy', key],
      ['user_payment', key],
      ['gateway', key],
      ['recipient', key],
      ['policy_id', u32],
      ['policy_type', type],
      ['memo', byteArray(memoBytes)],
      ...rest,
    ]),
  )

const VALIDATED: Fields = [
  ['forward_config', FORWARD_CONFIG],
  ['pre_validation', VALIDATION],
  ['post_validation', VALIDATION],
  ['has_pre_validation_pda', bool],
  ['has_post_validation_pda', bool],
]

const FIRST_VALIDATED: Fields = [
  ['forward_config', FIRST_FORWARD_CONFIG],
  [
    'validation_config',
    struct([
      ['validation_program', key],
      ['num_validation_accounts', u8],
    ]),
  ],
  ['has_validation_pda', bool],
]

const COMPOSABLE_EXECUTED: Fields = [
  ['composable_policy', key],
  ['gateway', key],
  ['target_program', key],
  ['input_amount', u64],
  ['output_amount', u64],
  ['gateway_fee', u64],
  ['protocol_fee', u64],
  ['recipient', key],
  ['timestamp', i64],
  ['record_id', u32],
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
  ComposablePolicyCreated: [...composableCreated(32, VALIDATED), ...composableCreated(64, FIRST_VALIDATED)],
  ComposableExecuted: [
    struct(COMPOSABLE_EXECUTED),
    struct([...COMPOSABLE_EXECUTED, ['memo', byteArray(32)]]),
    struct([...COMPOSABLE_EXECUTED, ['memo', byteArray(64)]]),
  ],
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

/** The first fields of a policy's account, up to its own id. The layout of its type is told by its address. */
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
