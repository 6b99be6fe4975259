import { ExactNumber, RawJson, isObject, readExactJson, type ExactJson } from './exact-json.js'
import { writeArray } from './write-array.js'

/** JSON as our own code likes it: integers beyond 2⁵³ are bigint, all other numbers are number. */
export type Json = null | boolean | number | bigint | string | Json[] | { [name: string]: Json }

const MAX_DEPTH = 512
const INTEGER = /^-?\d+$/

function toNumber(text: string): number | bigint {
  const number = Number(text)
  return INTEGER.test(text) && !Number.isSafeInteger(number) ? BigInt(text) : number
}

function relax(value: ExactJson): Json {
  if (value instanceof ExactNumber) return toNumber(value.text)
  if (Array.isArray(value)) return value.map(relax)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, relax(item)]))
}

/**
 * Parses JSON of our own making; integers that a double cannot hold come as bigint.
 * @throws SyntaxError when the text is not JSON
 */
export function readJson(text: string): Json {
  const { value, plain } = readExactJson(text, MAX_DEPTH)
  return plain ? (value as Json) : relax(value)
}

/**
 * `JSON.stringify` that writes a bigint as an integer literal and a `RawJson` as it is. Members that are
 * undefined are left out; in arrays they are null.
 * @throws TypeError for what has no JSON form at the top (undefined, a function)
 */
export function writeJson(value: unknown): string {
  const text = write(value)
  if (text === undefined) throw new TypeError('the value has no JSON form')
  return text
}

interface Convertible {
  toJSON: () => unknown
}

const isConvertible = (value: object): value is Convertible =>
  'toJSON' in value && typeof value.toJSON === 'function'

function write(value: unknown): string | undefined {
  if (typeof value === 'bigint') return value.toString()
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (value instanceof RawJson) return value.text
  if (Array.isArray(value)) return writeArray(value, element => write(element) ?? 'null')
  if (isConvertible(value)) return write(value.toJSON())
  const members: string[] = []
  for (const [name, item] of Object.entries(value)) {
    const text = write(item)
    if (text !== undefined) members.push(`${JSON.stringify(name)}:${text}`)
  }
  return `{${members.join(',')}}`
}
