// The program's interface as its own toolchain describes it, and a Borsh encoder that follows it: written apart from
// the layouts, so that the two can be compared.
import { readFileSync } from 'node:fs'
import bs58 from 'bs58'
import fc, { type Arbitrary } from 'fast-check'

type IdlType = string | { array: [IdlType, number] } | { option: IdlType } | { defined: { name: string } }
interface IdlField {
  name: string
  type: IdlType
}
type IdlDefinition =
  | { kind: 'struct'; fields: IdlField[] }
  | { kind: 'enum'; variants: { name: string; fields?: (IdlField | IdlType)[] }[] }

interface Named {
  name: string
  discriminator: number[]
}

export interface Idl {
  address: string
  instructions: Named[]
  accounts: Named[]
  events: Named[]
  types: { name: string; type: IdlDefinition }[]
}

export const IDL = JSON.parse(readFileSync(new URL('./tributary.json', import.meta.url), 'utf8')) as Idl

/** A value as the stream shows it (padding left out), and its bytes. */
export interface Encoded {
  value: unknown
  bytes: Buffer
}

const encoded = (value: unknown, bytes: Buffer): Encoded => ({ value, bytes })
const u8 = (max = 255) => fc.integer({ min: 0, max }).map(value => encoded(value, Buffer.of(value)))

function integer(bits: 16 | 32): Arbitrary<Encoded> {
  return fc.integer({ min: 0, max: 2 ** bits - 1 }).map(value => {
    const bytes = Buffer.alloc(bits / 8)
    bytes.writeUIntLE(value, 0, bits / 8)
    return encoded(value, bytes)
  })
}

function wide(min: bigint, max: bigint): Arbitrary<Encoded> {
  return fc.oneof(fc.bigInt({ min, max }), fc.constantFrom(min, max, 0n)).map(value => {
    const bytes = Buffer.alloc(8)
    bytes.writeBigUInt64LE(BigInt.asUintN(64, value))
    return encoded(String(value), bytes)
  })
}

const PRIMITIVES: Record<string, Arbitrary<Encoded>> = {
  u8: u8(),
  u16: integer(16),
  u32: integer(32),
  u64: wide(0n, 2n ** 64n - 1n),
  i64: wide(-(2n ** 63n), 2n ** 63n - 1n),
  bool: fc.boolean().map(value => encoded(value, Buffer.of(Number(value)))),
  pubkey: fc
    .uint8Array({ minLength: 32, maxLength: 32 })
    .map(bytes => encoded(bs58.encode(bytes), Buffer.from(bytes))),
}

const concat = (items: readonly Encoded[]) => Buffer.concat(items.map(({ bytes }) => bytes))

/** Any value of a type of the IDL. */
export function valuesOf(type: IdlType): Arbitrary<Encoded> {
  if (typeof type === 'string') return PRIMITIVES[type]!
  if ('array' in type) {
    const [item, length] = type.array
    return fc.array(valuesOf(item), { minLength: length, maxLength: length }).map(items =>
      encoded(
        items.map(({ value }) => value),
        concat(items),
      ),
    )
  }
  if ('option' in type) {
    const some = valuesOf(type.option).map(({ value, bytes }) =>
      encoded(value, Buffer.concat([Buffer.of(1), bytes])),
    )
    return fc.oneof(fc.constant(encoded(null, Buffer.of(0))), some)
  }
  return definedValues(type.defined.name)
}

function fieldValues(fields: readonly IdlField[]): Arbitrary<Encoded> {
  return fc.tuple(...fields.map(({ type }) => valuesOf(type))).map(items => {
    const shown = fields.map(({ name }, at) => [name, items[at]!.value] as const)
    return encoded(Object.fromEntries(shown.filter(([name]) => name !== 'padding')), concat(items))
  })
}

export function definedValues(name: string): Arbitrary<Encoded> {
  const definition = IDL.types.find(type => type.name === name)!.type
  if (definition.kind === 'struct') return fieldValues(definition.fields)
  return fc.oneof(
    ...definition.variants.map((variant, tag): Arbitrary<Encoded> => {
      const mark = Buffer.of(tag)
      const { fields = [] } = variant
      if (fields.length === 0) return fc.constant(encoded({ [variant.name]: null }, mark))
      const [first] = fields
      const isTuple = typeof first === 'string' || !('name' in first!)
      const payload = isTuple ? valuesOf(first as IdlType) : fieldValues(fields as IdlField[])
      return payload.map(({ value, bytes }) =>
        encoded({ [variant.name]: value }, Buffer.concat([mark, bytes])),
      )
    }),
  )
}
