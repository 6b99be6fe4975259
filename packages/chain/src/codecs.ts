// Borsh as the program's events use it, on Solana's codecs. Refuses everything that Rust's Borsh refuses (a
// boolean or an option mark of 2, an unknown variant), because a body that almost fits would be a guess. 64-bit
// integers are decimal strings, and byte arrays are arrays of numbers, as the stream's contract requires.
import { getAddressCodec } from '@solana/addresses'
import { createCodec, type Codec, type ReadonlyUint8Array } from '@solana/codecs-core'
import { getI64Codec, getU16Codec, getU32Codec, getU64Codec, getU8Codec } from '@solana/codecs-numbers'
import { encodeBase58 } from './base58.js'

/** The possible values in an event's data. */
export type Value = null | boolean | number | string | Value[] | { [name: string]: Value }
/** Reads and writes one value; reading throws on bytes that are invalid for the type. */
export type ValueCodec = Codec<Value>

/** The layout does not fit the body. The caller tries the next layout, or reports a gap. */
export class LayoutMismatch extends Error {}

const mismatch = (what: string): never => {
  throw new LayoutMismatch(what)
}

/** A number. Solana's codec writes; reading takes no copy of the bytes, as that codec does for each number. */
function numeric<T extends number | bigint>(
  codec: { fixedSize: number; write: (value: T, bytes: Uint8Array, offset: number) => number },
  [toNumber, read]: readonly [toNumber: (value: Value) => T, read: (view: DataView) => Value],
): ValueCodec {
  const size = codec.fixedSize
  return createCodec<Value>({
    fixedSize: size,
    write: (value, bytes, offset) => codec.write(toNumber(value), bytes, offset),
    read: (bytes, offset) => {
      checkLeft(bytes, offset, size)
      return [read(new DataView(bytes.buffer, bytes.byteOffset + offset, size)), offset + size]
    },
  })
}
const small = (value: Value) => value as number
const large = (value: Value) => BigInt(value as string)
export const u8 = numeric(getU8Codec(), [small, view => view.getUint8(0)])
export const u16 = numeric(getU16Codec(), [small, view => view.getUint16(0, true)])
export const u32 = numeric(getU32Codec(), [small, view => view.getUint32(0, true)])
export const u64 = numeric(getU64Codec(), [large, view => view.getBigUint64(0, true).toString()])
export const i64 = numeric(getI64Codec(), [large, view => view.getBigInt64(0, true).toString()])

export const bool: ValueCodec = createCodec<Value>({
  fixedSize: 1,
  write: (value, bytes, offset) => {
    bytes[offset] = value === true ? 1 : 0
    return offset + 1
  },
  read: (bytes, offset) => {
    const byte = bytes[offset]
    if (byte !== 0 && byte !== 1) mismatch('a boolean is 0 or 1')
    return [byte === 1, offset + 1]
  },
})

const addressCodec = getAddressCodec()

/** A public key, as base58. Solana's encoder uses big integers and takes several times as long as `encodeBase58`. */
export const key: ValueCodec = createCodec<Value>({
  fixedSize: 32,
  write: (value, bytes, offset) => addressCodec.write(value as never, bytes, offset),
  read: (bytes, offset) => [encodeBase58(take(bytes, offset, 32)), offset + 32],
})

function checkLeft(bytes: ReadonlyUint8Array | Uint8Array, offset: number, size: number): void {
  if (offset + size > bytes.length) mismatch('the body ends early')
}

function take(bytes: ReadonlyUint8Array | Uint8Array, offset: number, size: number): Uint8Array {
  checkLeft(bytes, offset, size)
  return (bytes as Uint8Array).subarray(offset, offset + size)
}

/** `[u8; size]`, as an array of numbers. */
export const byteArray = (size: number): ValueCodec =>
  createCodec<Value>({
    fixedSize: size,
    write: (value, bytes, offset) => {
      bytes.set(value as number[], offset)
      return offset + size
    },
    read: (bytes, offset) => [[...take(bytes, offset, size)], offset + size],
  })

/** Space reserved for later fields. Reading skips it, because the caller may have written anything there. */
export const padding = (size: number): ValueCodec =>
  createCodec<Value>({
    fixedSize: size,
    write: (_value, bytes, offset) => {
      bytes.fill(0, offset, offset + size)
      return offset + size
    },
    read: (bytes, offset) => {
      checkLeft(bytes, offset, size)
      return [null, offset + size]
    },
  })

export const option = (some: ValueCodec): ValueCodec =>
  createCodec<Value>({
    getSizeFromValue: value => (value === null ? 1 : 1 + sizeOf(some, value)),
    write: (value, bytes, offset) => {
      bytes[offset] = value === null ? 0 : 1
      return value === null ? offset + 1 : some.write(value, bytes, offset + 1)
    },
    read: (bytes, offset) => {
      const mark = bytes[offset]
      if (mark === 0) return [null, offset + 1]
      if (mark !== 1) mismatch('an option is marked 0 or 1')
      return some.read(bytes, offset + 1)
    },
  })

export const array = (item: ValueCodec, length: number): ValueCodec =>
  createCodec<Value>({
    getSizeFromValue: value => (value as Value[]).reduce<number>((sum, each) => sum + sizeOf(item, each), 0),
    write: (value, bytes, offset) => {
      let at = offset
      for (const each of value as Value[]) at = item.write(each, bytes, at)
      return at
    },
    read: (bytes, offset) => {
      const items: Value[] = []
      let at = offset
      for (let index = 0; index < length; index++) {
        const [each, end] = item.read(bytes, at)
        items.push(each)
        at = end
      }
      return [items, at]
    },
  })

export type Fields = readonly (readonly [name: string, codec: ValueCodec])[]

/** The name of a field that reading skips and omits. */
export const PADDING = 'padding'

export const struct = (fields: Fields): ValueCodec =>
  createCodec<Value>({
    getSizeFromValue: value =>
      fields.reduce((sum, [name, codec]) => sum + sizeOf(codec, (value as Record<string, Value>)[name]!), 0),
    write: (value, bytes, offset) => {
      let at = offset
      for (const [name, codec] of fields) at = codec.write((value as Record<string, Value>)[name]!, bytes, at)
      return at
    },
    read: (bytes, offset) => {
      const value: Record<string, Value> = {}
      let at = offset
      for (const [name, codec] of fields) {
        const [each, end] = codec.read(bytes, at)
        if (name !== PADDING) value[name] = each
        at = end
      }
      return [value, at]
    },
  })

/** A Rust enum in the tagged style: `{"Monthly": null}`, `{"Custom": "262800"}`. */
export const taggedEnum = (
  variants: readonly (readonly [name: string, payload: ValueCodec | null])[],
): ValueCodec =>
  createCodec<Value>({
    getSizeFromValue: value => {
      const [name, payload] = Object.entries(value as Record<string, Value>)[0]!
      const codec = variants.find(([each]) => each === name)![1]
      return codec === null ? 1 : 1 + sizeOf(codec, payload)
    },
    write: (value, bytes, offset) => {
      const [name, payload] = Object.entries(value as Record<string, Value>)[0]!
      const tag = variants.findIndex(([each]) => each === name)
      bytes[offset] = tag
      const codec = variants[tag]![1]
      return codec === null ? offset + 1 : codec.write(payload, bytes, offset + 1)
    },
    read: (bytes, offset) => {
      const variant = variants[bytes[offset] ?? variants.length]
      if (variant === undefined) throw new LayoutMismatch('an enum has no such variant')
      const [name, codec] = variant
      if (codec === null) return [{ [name]: null }, offset + 1]
      const [payload, end] = codec.read(bytes, offset + 1)
      return [{ [name]: payload }, end]
    },
  })

function sizeOf(codec: ValueCodec, value: Value): number {
  return 'fixedSize' in codec ? codec.fixedSize : codec.getSizeFromValue(value)
}

/**
 * Reads a value that must fill the bytes exactly.
 * @returns undefined when the layout does not fit
 */
export function readExactly(codec: ValueCodec, bytes: Uint8Array): Value | undefined {
  try {
    const [value, end] = codec.read(bytes, 0)
    return end === bytes.length ? value : undefined
  } catch (error) {
    if (error instanceof LayoutMismatch) return undefined
    throw error
  }
}
