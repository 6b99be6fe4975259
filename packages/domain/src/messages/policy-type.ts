// The kinds of payment policy that the program knows, and what each must carry.
import type { PolicyType } from './chain-event.js'
import { canonicalJson } from './canonical-json.js'
import type { EnumValue } from './enum-value.js'
import { isObject, type ExactJson, type ExactJsonObject } from '../json/exact-json.js'
import {
  readArrayOf,
  readBoolean,
  readEnumField,
  readI64,
  readOptionalI64,
  readOptionalU32,
  readU64,
  readU8,
} from './fields.js'
import { refuseField } from './refused.js'

/** Checks the fields of one kind and returns them all, those we know in their normal form. */
type FieldsReader = (fields: ExactJsonObject, path: string) => ExactJsonObject

/** The frequencies that carry nothing. `Custom` carries its seconds; others may come and are kept. */
const UNIT_FREQUENCIES: ReadonlySet<string> = new Set([
  'Daily',
  'Weekly',
  'Monthly',
  'Quarterly',
  'SemiAnnually',
  'Annually',
])

function readFrequency(fields: ExactJsonObject, path: string): ExactJson {
  const at = `${path}.payment_frequency`
  const { name, payload } = readEnumField(fields, 'payment_frequency', at)
  if (name === 'Custom') readU64({ Custom: payload }, 'Custom', `${at}.Custom`)
  if (UNIT_FREQUENCIES.has(name) && payload !== null) refuseField(`${at}.${name}`, 'null')
  return { [name]: payload }
}

const readSubscription: FieldsReader = (fields, path) => {
  readU64(fields, 'amount', `${path}.amount`)
  readBoolean(fields, 'auto_renew', `${path}.auto_renew`)
  readI64(fields, 'next_payment_due', `${path}.next_payment_due`)
  return {
    ...fields,
    max_renewals: readOptionalU32(fields, 'max_renewals', `${path}.max_renewals`),
    payment_frequency: readFrequency(fields, path),
  }
}

/** `release_condition` is served as it comes: nobody says what type it has. */
const readMilestone: FieldsReader = (fields, path) => {
  readArrayOf(readU64, fields, 'milestone_amounts', 4, `${path}.milestone_amounts`)
  readArrayOf(readI64, fields, 'milestone_timestamps', 4, `${path}.milestone_timestamps`)
  readU8(fields, 'current_milestone', `${path}.current_milestone`)
  readU8(fields, 'total_milestones', `${path}.total_milestones`)
  readU64(fields, 'escrow_amount', `${path}.escrow_amount`)
  return fields
}

const PAY_AS_YOU_GO_FIELDS = ['max_amount_per_period', 'max_chunk_amount', 'period_length_seconds'] as const

const readPayAsYouGo: FieldsReader = (fields, path) => {
  for (const name of PAY_AS_YOU_GO_FIELDS) readU64(fields, name, `${path}.${name}`)
  readI64(fields, 'current_period_start', `${path}.current_period_start`)
  readU64(fields, 'current_period_total', `${path}.current_period_total`)
  readOptionalI64(fields, 'expiry_date', `${path}.expiry_date`)
  return fields
}

const readOneTime: FieldsReader = (fields, path) => {
  readU64(fields, 'amount', `${path}.amount`)
  readI64(fields, 'due_date', `${path}.due_date`)
  readOptionalI64(fields, 'expiry_date', `${path}.expiry_date`)
  return fields
}

const readUpTo: FieldsReader = (fields, path) => {
  readU64(fields, 'max_amount', `${path}.max_amount`)
  readI64(fields, 'valid_after', `${path}.valid_after`)
  readI64(fields, 'deadline', `${path}.deadline`)
  return fields
}

const FIELDS_READERS: ReadonlyMap<string, FieldsReader> = new Map([
  ['Subscription', readSubscription],
  ['Milestone', readMilestone],
  ['PayAsYouGo', readPayAsYouGo],
  ['OneTime', readOneTime],
  ['UpTo', readUpTo],
])

/** Space that the program keeps for later fields; it says nothing. */
function withoutPadding({ padding: _padding, ...fields }: ExactJsonObject): ExactJsonObject {
  return fields
}

function readPayload({ name, payload }: EnumValue): ExactJson {
  const read = FIELDS_READERS.get(name)
  if (read === undefined) return isObject(payload) ? withoutPadding(payload) : payload
  if (!isObject(payload)) refuseField(`policy_type.${name}`, 'an object of its fields')
  return read(withoutPadding(payload), `policy_type.${name}`)
}

/**
 * Reads `data.policy_type`; a type that we do not know is kept as it comes.
 * @returns the type, and the tagged value that stands for it in the normalised data
 * @throws Refused (BAD_DATA)
 */
export function readPolicyType(data: ExactJsonObject): { policyType: PolicyType; tagged: ExactJson } {
  const value = readEnumField(data, 'policy_type')
  const tagged = { [value.name]: readPayload(value) }
  return { policyType: { name: value.name, text: canonicalJson(tagged) }, tagged }
}
