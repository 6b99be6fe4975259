// JSON without loss: `JSON.parse` reads every number as a double, which changes 4611686018427387903.
//
// A message is scanned once. When every number in it is one a double holds as it is written, `JSON.parse`
// alone is right. Otherwise each number that it would change is replaced by a mark before parsing, and put
// back afterwards: the n-th mark is the number `n.5`. No fraction of the text itself is left by then, so a
// mark can be mistaken for nothing else, and grammar, duplicate names (the last one wins) and names such as
// `__proto__` are JSON.parse's own affair on both paths.

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

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/
/** Any integer of 15 digits is a double; 16 digits may be too many. */
const SAFE_DIGITS = 15

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN = 0x7b
const CLOSE = 0x7d

const isNumberStart = (code: number): boolean => (code >= 0x30 && code <= 0x39) || code === 0x2d
const isNumberPart = (code: number): boolean =>
  (code >= 0x30 && code <= 0x39) || (code | 0x20) === 0x65 || code === 0x2e || code === 0x2d || code === 0x2b

/** Where a number stands in the text that a double would change. */
interface Span {
  start: number
  end: number
}

/**
 * The numbers of a text that a double would change.
 * @throws TooDeepError beyond `maxDepth` arrays and objects within each other
 */
function scan(text: string, maxDepth: number): Span[] {
  const inexact: Span[] = []
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
      let plain = true
      for (at++; at < text.length && isNumberPart(text.charCodeAt(at)); at++) {
        if (!isNumberStart(text.charCodeAt(at))) plain = false
      }
      const minusZero = code === 0x2d && text.charCodeAt(start + 1) === 0x30
      if (!plain || minusZero || at - start > SAFE_DIGITS) inexact.push({ start, end: at })
    } else {
      // Setting this bit makes `{` of `[` and `}` of `]`.
      const bracket = code | 0x20
      if (bracket === OPEN && ++depth > maxDepth) throw new TooDeepError()
      if (bracket === CLOSE) depth--
      at++
    }
  }
  return inexact
}

function parseMarked(text: string, spans: Span[]): ExactJson {
  let marked = ''
  let from = 0
  const numbers = spans.map(({ start, end }, n) => {
    const number = text.slice(start, end)
    if (!JSON_NUMBER.test(number)) throw new SyntaxError('not a JSON number')
    marked += `${text.slice(from, start)}${n}.5`
    from = end
    return new ExactNumber(number)
  })
  marked += text.slice(from)
  return JSON.parse(marked, (_name, value: ExactJson) =>
    typeof value === 'number' && !Number.isInteger(value) ? numbers[Math.floor(value)] : value,
  ) as ExactJson
}

/**
 * Parses JSON and keeps every digit of every number.
 * @throws SyntaxError when the text is not JSON
 * @throws TooDeepError beyond `maxDepth` arrays and objects within each other
 */
export function readExactJson(text: string, maxDepth: number): ExactJson {
  const inexact = scan(text, maxDepth)
  return inexact.length === 0 ? (JSON.parse(text) as ExactJson) : parseMarked(text, inexact)
}

export function isObject(value: ExactJson | undefined): value is ExactJsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof RawJson)
}
