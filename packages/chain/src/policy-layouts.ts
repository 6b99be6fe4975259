// The parts that layouts of policies share: status, frequency and type of a policy, with every known version of the type.
import {
  array,
  bool,
  byteArray,
  i64,
  option,
  padding,
  PADDING,
  struct,
  taggedEnum,
  u32,
  u64,
  u8,
  type Fields,
  type ValueCodec,
} from './codecs.js'

export const MEMO: Fields = [['memo', byteArray(64)]]

export const STATUS = taggedEnum([
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

/** Every version of a policy's type, the newest first. PayAsYouGo got an expiry date, which took 9 bytes (or 1) of its padding. */
export const POLICY_TYPES: readonly ValueCodec[] = [
  policyType([
    ['expiry_date', option(i64)],
    [PADDING, padding(79)],
  ]),
  policyType([[PADDING, padding(88)]]),
]
