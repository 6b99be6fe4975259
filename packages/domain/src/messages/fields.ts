// The field types of the program's interface (IDL), as indexers write them in JSON. Each reader takes the
// object, the field's name, and the path to say in a refusal; each throws Refused (BAD_DATA).
import { isPublicKey } from '../keys/addresses.js'
import { readEnum, type EnumValue } from './enum-value.js'
import { ExactNumber, type ExactJsonObject } from '../json/exact-json.js'
import { refuseField } from './refused.js'

const U32_MAX = 2 ** 32 - 1
const U64_MAX = 2n ** 64n - 1n
const I64_MIN = -(2n ** 63n)
const I64_MAX = 2n ** 63n - 1n
/** 20 digits hold any u64 and i64; `012`, `+1`, `-0`, `12.0` and `1e3` are not how an integer is written. */
const INTEGER = /^(?:0|-?[1-9]\d{0,19})$/
/** A Rust name. What Postgres text cannot hold (NUL, half a surrogate pair) is thereby no name either. */
const VARIANT_NAME = /^[A-Za-z0-9_]{1,64}$/

function readInteger(data: ExactJsonObject, name: string): bigint | undefined {
  const value = data[name]
  if (typeof value === 'number') return BigInt(value)
  const text = value instanceof ExactNumber ? value.text : value
  return typeof text === 'string' && INTEGER.test(text) ? BigInt(text) : undefined
}

export function readU64(data: ExactJsonObject, name: string, path = name): bigint {
  const value = readInteger(data, name)
  if (value === undefined || value < 0n || value > U64_MAX) refuseField(path, 'an integer from 0 to 2^64-1')
  return value
}

export function readI64(data: ExactJsonObject, name: string, path = name): bigint {
  const value = readInteger(data, name)
  if (value === undefined || value < I64_MIN || value > I64_MAX) {
    refuseField(path, 'an integer from -2^63 to 2^63-1')
  }
  return value
}

/** u8 to u32 are JSON numbers, never strings. */
export function readU32(data: ExactJsonObject, name: string, path = name, max = U32_MAX): number {
  const value = data[name]
  if (typeof value !== 'number' || value < 0 || value > max) refuseField(path, `a number from 0 to ${max}`)
  return value
}

export function readU8(data: ExactJsonObject, name: string, path = name): number {
  return readU32(data, name, path, 255)
}

/** An Option that is missing is None. */
export function readOptionalU32(data: ExactJsonObject, name: string, path = name): number | null {
  return (data[name] ?? null) === null ? null : readU32(data, name, path)
}

export function readBoolean(data: ExactJsonObject, name: string, path = name): boolean {
  const value = data[name]
  if (typeof value !== 'boolean') refuseField(path, 'true or false')
  return value
}

export function readPublicKey(data: ExactJsonObject, name: string, path = name): string {
  const value = data[name]
  if (typeof value !== 'string' || !isPublicKey(value)) refuseField(path, 'a base58 public key of 32 bytes')
  return value
}

/** An Option that is missing is None. */
export function readOptionalPublicKey(data: ExactJsonObject, name: string): string | null {
  return (data[name] ?? null) === null ? null : readPublicKey(data, name)
}

/** An Option that is missing is None. */
export function readOptionalI64(data: ExactJsonObject, name: string, path = name): bigint | null {
  return (data[name] ?? null) === null ? null : readI64(data, name, path)
}

/** `[u8; length]`: exactly as many numbers from 0 to 255, of one of the lengths that the program has had. */
export function readBytes(data: ExactJsonObject, name: string, ...lengths: number[]): Uint8Array {
  const value = data[name]
  const expected = `an array of exactly ${lengths.join(' or ')} numbers from 0 to 255`
  if (!Array.isArray(value) || !lengths.includes(value.length)) refuseField(name, expected)
  const { length } = value
  const bytes = new Uint8Array(length)
  for (let at = 0; at < length; at++) {
    const byte = value[at]
    if (typeof byte !== 'number' || byte < 0 || byte > 255) refuseField(name, expected)
    bytes[at] = byte
  }
  return bytes
}

/** An array of exactly `length` items, each read by `readItem` (`readU64`, `readI64`). */
export function readArrayOf<Item>(
  readItem: (data: ExactJsonObject, name: string, path: string) => Item,
  data: ExactJsonObject,
  name: string,
  length: number,
  path = name,
): Item[] {
  const value = data[name]
  if (!Array.isArray(value) || value.length !== length)
    refuseField(path, `an array of exactly ${length} items`)
  return value.map((item, at) => readItem({ item }, 'item', `${path}[${at}]`))
}

/** An enum in either style; the variant need not be one we know. */
export function readEnumField(data: ExactJsonObject, name: string, path = name): EnumValue {
  const value = readEnum(data[name])
  if (value === undefined || !VARIANT_NAME.test(value.name)) {
    refuseField(path, 'an enum: {"variant": "Name", …} or {"Name": …}')
  }
  return value
}
