import { isObject, type ExactJson } from '../json/exact-json.js'

/** One value of a Rust enum: the variant's name and what it carries (null for a unit variant). */
export interface EnumValue {
  name: string
  payload: ExactJson
}

/**
 * Reads an enum in either of the styles that indexers write:
 * `{"variant": "Custom", "field": 5}` or `{"Custom": 5}`, and `"Monthly"` for a variant that carries nothing.
 * A variant's fields stand beside `variant`; `field` alone is the single value of a tuple variant.
 * @returns undefined when the value is no enum
 */
export function readEnum(value: ExactJson | undefined): EnumValue | undefined {
  if (typeof value === 'string') return { name: value, payload: null }
  if (!isObject(value)) return undefined
  if (typeof value.variant === 'string') return readVariant(value as { variant: string })
  const names = Object.keys(value)
  const [name] = names
  return names.length === 1 && name !== undefined ? { name, payload: value[name] ?? null } : undefined
}

/** Reads `{"variant": …}` alone: the style that can be told from a plain object wherever it stands. */
export function readVariant({
  variant,
  ...fields
}: {
  [name: string]: ExactJson
  variant: string
}): EnumValue {
  const names = Object.keys(fields)
  if (names.length === 0) return { name: variant, payload: null }
  if (names.length === 1 && names[0] === 'field') return { name: variant, payload: fields.field ?? null }
  return { name: variant, payload: fields }
}
