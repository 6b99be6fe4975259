// The layouts of composable policies: the call that a policy forwards, and the checks before and after the call.
import {
  array,
  bool,
  byteArray,
  i64,
  key,
  option,
  struct,
  taggedEnum,
  u32,
  u64,
  u8,
  type Fields,
  type ValueCodec,
} from './codecs.js'
import { POLICY_TYPES } from './policy-layouts.js'

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

const EXECUTED: Fields = [
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

/** Every version of the event, the newest first. */
export const COMPOSABLE_POLICY_CREATED: readonly ValueCodec[] = [
  ...composableCreated(32, VALIDATED),
  ...composableCreated(64, FIRST_VALIDATED),
]

/** Every version of the event, the newest first. */
export const COMPOSABLE_EXECUTED: readonly ValueCodec[] = [
  struct(EXECUTED),
  struct([...EXECUTED, ['memo', byteArray(32)]]),
  struct([...EXECUTED, ['memo', byteArray(64)]]),
]
