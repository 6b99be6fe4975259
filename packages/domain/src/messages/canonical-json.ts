import { readVariant } from './enum-value.js'
import { RawJson, isObject, type ExactJson } from '../json/exact-json.js'
import { writeArray } from '../json/write-array.js'

/** Up to 78 digits: a u256. A longer run of digits is text. */
const INTEGER = /^(?:0|-?[1-9]\d{0,77})$/

function writeText(text: string): string {
  const first = text.charCodeAt(0)
  const mayBeInteger = (first >= 0x30 && first <= 0x39) || first === 0x2d
  return mayBeInteger && INTEGER.test(text) ? text : JSON.stringify(text)
}

/**
 * The same JSON text for all values that mean the same: names sorted, enums tagged, and integers as literals, also those
 * that arrived as decimal strings. Two indexers that agree about an event produce the same text.
 */
export function canonicalJson(value: ExactJson): string {
  if (typeof value === 'string') return writeText(value)
  if (value instanceof RawJson) return value.text
  if (Array.isArray(value)) return writeArray(value, canonicalJson)
  if (!isObject(value)) return String(value)
  if (typeof value.variant === 'string') {
    const { name, payload } = readVariant(value as { variant: string })
    return `{${JSON.stringify(name)}:${canonicalJson(payload)}}`
  }
  const members = Object.keys(value)
    .sort()
    .map(name => `${JSON.stringify(name)}:${canonicalJson(value[name] ?? null)}`)
  return `{${members.join(',')}}`
}
