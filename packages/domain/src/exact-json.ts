// JSON without loss: `JSON.parse` reads every number as a double, which changes 4611686018427387903.
//
// A text is scanned once. When every number in it is one that a double holds as it is written, `JSON.parse` is
// right, and fastest; otherwise lossless-json reads it. It was chosen for agreeing with `JSON.parse` in all
// else: the same texts are JSON, `__proto__` is a name like any other, and, told so, the last of two equal names
// wins. It recurses, so the scan also finds nesting that is too deep for it, and for Postgres.
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

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN = 0x7b
const CLOSE = 0x7d

const isNumberStart = (code: number): boolean => (code >= 0x30 && code <= 0x39) || code === 0x2d
const isNumberPart = (code: number): boolean =>
  (code >= 0x30 && code <= 0x39) || (code | 0x20) === 0x65 || code === 0x2e || code === 0x2d || code === 0x2b

/** Whether a double would hold the number as it is written: no fraction, no exponent, no `-0`, few digits. */
function isPlainNumber(text: string, start: number, end: number): boolean {
  if (end - start > SAFE_DIGITS || text.startsWith('-0', start)) return false
  for (let at = start + 1; at < end; at++) if (!isNumberStart(text.charCodeAt(at))) return false
  return true
}

/**
 * Whether every number of a text is plain.
 * @throws TooDeepError beyond `maxDepth` arrays and objects within each other
 */
function hasPlainNumbers(text: string, maxDepth: number): boolean {
  let plain = true
  let depth = 0
  let at = 0
  while (at < text.length) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) {
      at++
      for (let inside; at < text.length && (inside = text.charCodeAt(at)) !== QUOTE; at++) {
        if (inside === BACKSLASH) at++
      }
      at++
    } else if (isNumberStart(code)) {
      const start = at
      do at++
      while (at < text.length && isNumberPart(text.charCodeAt(at)))
      plain &&= isPlainNumber(text, start, at)
    } else {
      // Setting this bit makes `{` of `[` and `}` of `]`.
      const bracket = code | 0x20
      if (bracket === OPEN && ++depth > maxDepth) throw new TooDeepError()
      if (bracket === CLOSE) depth--
      at++
    }
  }
  return plain
}

const LOSSLESS = {
  parseNumber: (text: string) => (isPlainNumber(text, 0, text.length) ? Number(text) : new ExactNumber(text)),
  onDuplicateKey: ({ newValue }: { newValue: unknown }) => newValue,
}

/**
 * Parses JSON and keeps every digit of every number.
 * @throws SyntaxError when the text is not JSON
 * @throws TooDeepError beyond `maxDepth` arrays and objects within each other
 */
export function readExactJson(text: string, maxDepth: number): ExactJson {
  const value: unknown = hasPlainNumbers(text, maxDepth)
    ? JSON.parse(text)
    : parseLossless(text, undefined, LOSSLESS)
  return value as ExactJson
}

export function isObject(value: ExactJson | undefined): value is ExactJsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof RawJson)
}
