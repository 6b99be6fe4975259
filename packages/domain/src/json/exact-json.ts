// JSON without loss: `JSON.parse` reads every number as a double, which changes 4611686018427387903.
//
// When every number of a text is one that a double holds as it is written, `JSON.parse` is right, and fastest;
// otherwise lossless-json reads it. It was chosen for agreeing with `JSON.parse` in all else: the same texts are JSON,
// `__proto__` is a name like any other, and, told so, the last of two equal names wins. It recurses, so nesting that is
// too deep for it, and for Postgres, is found first.
import { parse as parseLossless } from 'lossless-json'

/** A piece of JSON text that `writeJson` writes as it is. The caller vouches that it is JSON. */
export class RawJson {
  constructor(readonly text: string) {}
}

/** A number that a double would change, or that is not written as a plain integer: its text, digit by digit. */
export class ExactNumber extends RawJson {}

/** What `readExactJson` makes of a text. A `number` is always an integer of at most 15 digits. */
export type ExactJson = null | boolean | number | string | ExactNumber | ExactJson[] | ExactJsonObject
export interface ExactJsonObject {
  [name: string]: ExactJson
}

/** JSON whose nesting is deeper than the reader was told to bear. */
export class TooDeepError extends Error {
  constructor() {
    super('the JSON is nested too deeply')
    this.name = 'TooDeepError'
  }
}

/** Any integer of 15 digits is a double; 16 digits may be too many. */
const SAFE_DIGITS = 15

/** Whether a double would hold the number as it is written: no fraction, no exponent, no `-0`, few digits. */
const isPlainNumber = (text: string): boolean =>
  text.length <= SAFE_DIGITS && !text.startsWith('-0') && /^-?\d+$/.test(text)

/**
 * Finds a number that is not plain, by what stands before it and after. It also finds some in quoted texts: then the
 * slower reader reads a text that did not need it.
 */
const NOT_PLAIN = /(?:^|[[,:])\s*(?:-0|-\d{15}|\d{16}|-?\d+[.eE][\d.eE+-]*\s*(?:[,\]}]|$))/

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN = 0x7b
const CLOSE = 0x7d

function countOf(character: string, text: string): number {
  let count = 0
  for (let at = text.indexOf(character); at !== -1; at = text.indexOf(character, at + 1)) count++
  return count
}

/** @throws TooDeepError beyond `maxDepth` arrays and objects within each other */
function checkDepth(text: string, maxDepth: number): void {
  if (countOf('[', text) + countOf('{', text) <= maxDepth) return
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) {
      at++
      for (let inside; at < text.length && (inside = text.charCodeAt(at)) !== QUOTE; at++) {
        if (inside === BACKSLASH) at++
      }
    } else {
      // Setting this bit makes `{` of `[` and `}` of `]`.
      const bracket = code | 0x20
      if (bracket === OPEN && ++depth > maxDepth) throw new TooDeepError()
      if (bracket === CLOSE) depth--
    }
  }
}

const LOSSLESS = {
  parseNumber: (text: string) => (isPlainNumber(text) ? Number(text) : new ExactNumber(text)),
  onDuplicateKey: ({ newValue }: { newValue: unknown }) => newValue,
}

/** A JSON text that was read. */
export interface ReadJson {
  value: ExactJson
  /** whether `JSON.stringify` writes the value without loss: there is no `ExactNumber` in it */
  plain: boolean
}

/**
 * Parses JSON and keeps every digit of every number.
 * @throws SyntaxError when the text is not JSON
 * @throws TooDeepError beyond `maxDepth` arrays and objects within each other
 */
export function readExactJson(text: string, maxDepth: number): ReadJson {
  checkDepth(text, maxDepth)
  const plain = !NOT_PLAIN.test(text)
  const value: unknown = plain ? JSON.parse(text) : parseLossless(text, undefined, LOSSLESS)
  return { value: value as ExactJson, plain }
}

export function isObject(value: ExactJson | undefined): value is ExactJsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof RawJson)
}
