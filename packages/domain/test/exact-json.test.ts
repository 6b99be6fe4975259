import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { ExactNumber, readExactJson, TooDeepError, type ExactJson } from '../src/json/exact-json.js'
import { readJson, writeJson } from '../src/index.js'
import { hold } from './hold.js'

const DEPTH = 100
const read = (text: string): ExactJson => readExactJson(text, DEPTH).value

const integers = (minDigits: number, maxDigits: number) =>
  fc
    .tuple(
      fc.constantFrom('', '-'),
      fc.stringMatching(new RegExp(`^[1-9][0-9]{${minDigits - 1},${maxDigits - 1}}$`)),
    )
    .map(parts => parts.join(''))
/** Numbers that JSON.parse reads as they are written. */
const plainNumbers = fc.oneof(fc.constant('0'), fc.integer().map(String), integers(1, 14))
/** Numbers that it would change, in value or in form. */
const exactNumbers = fc.oneof(
  fc.constantFrom('-0', '0.0', '1.5', '12.0', '1e3', '1E-7', '-2.50e+10', '0.5', '1e400'),
  fc.constantFrom('9007199254740991', '9007199254740993', '18446744073709551615', '-9223372036854775808'),
  integers(16, 60),
)
const spaces = fc.constantFrom('', '', '', ' ', '\n\t', '\r ')
const names = fc.oneof(
  fc.constantFrom('a', 'b', '__proto__', 'constructor', 'toJSON', '1', ''),
  fc.string({ unit: 'binary', maxLength: 3 }),
)
const texts = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 5 }).map(text => JSON.stringify(text)),
  fc.constantFrom(
    '"\\u0000"',
    '"\\ud800"',
    '"\\/\\u002f"',
    '"0.5"',
    '"\\"1.5\\\\"',
    '"[{"',
    '"18446744073709551616"',
  ),
)

/** JSON texts whose numbers are drawn from `numbers`; names may come twice in an object. */
function jsonTexts(numbers: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const { value } = fc.letrec<{ value: string }>(tie => {
    const members = fc.tuple(names, tie('value'))
    const entries = fc.array(members, { maxLength: 4 })
    const array = fc
      .tuple(spaces, fc.array(tie('value'), { maxLength: 4 }))
      .map(([space, items]) => `[${space}${items.join(`,${space}`)}]`)
    const object = fc.tuple(spaces, entries).map(([space, entries]) => {
      const members = entries.map(([name, value]) => `${JSON.stringify(name)}${space}:${space}${value}`)
      return `{${space}${members.join(`${space},`)}}`
    })
    return {
      value: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom('null', 'true', 'false'),
        numbers,
        texts,
        array,
        object,
      ),
    }
  })
  return value
}

t.test('a text that JSON.parse does not change is read as JSON.parse reads it, on either path', async t => {
  const property = fc.property(jsonTexts(plainNumbers), text => {
    const parsed: unknown = JSON.parse(text)
    assert.deepEqual(read(text), parsed)
    // The number beside it sends the whole text down the other path.
    const [other] = read(`[${text}, 0.25]`) as ExactJson[]
    assert.deepEqual(other, parsed)
    assert.equal(writeJson(other), JSON.stringify(parsed))
  })
  hold(t, 'both paths are JSON.parse', property, 500)
})

t.test('every digit of every number survives reading and writing', async t => {
  const anyNumber = fc.oneof(plainNumbers, exactNumbers)
  const inTexts = fc.property(jsonTexts(plainNumbers), anyNumber, exactNumbers, (text, one, other) => {
    const plain = JSON.stringify(JSON.parse(text))
    assert.equal(
      writeJson(read(`{"a": ${one}, "b": [${other}, ${text}]}`)),
      `{"a":${one},"b":[${other},${plain}]}`,
    )
  })
  hold(t, 'among others', inTexts, 500)
  const alone = fc.property(anyNumber, text => {
    assert.equal(writeJson(read(text)), text)
  })
  hold(t, 'alone', alone, 200)
  t.type(read('18446744073709551615'), ExactNumber)
  t.type(read('12.0'), ExactNumber)
  t.type(read('999999999999999'), 'number')
})

t.test('what is no JSON for JSON.parse is none here, and nothing else is refused', async t => {
  const accepts = (parse: (text: string) => unknown, text: string): boolean => {
    try {
      parse(text)
      return true
    } catch (error) {
      assert(error instanceof SyntaxError)
      return false
    }
  }
  const marks = [...'{}[],:"\\-.eE+ 015', '"a"', 'true', 'null', '00', '0.5', '1e5', '12345678901234567890']
  const scraps = fc.array(fc.constantFrom(...marks), { maxLength: 8 }).map(parts => parts.join(''))
  const damaged = fc
    .tuple(jsonTexts(fc.oneof(plainNumbers, exactNumbers)), fc.nat(), fc.constantFrom('', ...marks))
    .map(([text, number, scrap]) => {
      const at = number % (text.length + 1)
      return text.slice(0, at) + scrap + text.slice(at + 1)
    })
  const property = fc.property(fc.oneof(scraps, damaged), text => {
    assert.equal(accepts(read, text), accepts(JSON.parse, text))
  })
  hold(t, 'the same texts are JSON', property, 2_000)
})

t.test('nesting is borne to the limit and not one level further', async t => {
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
  t.doesNotThrow(() => readExactJson(nested(64), 64))
  t.throws(() => readExactJson(nested(65), 64), TooDeepError)
  t.throws(() => readExactJson('{"a":'.repeat(65) + '1.5' + '}'.repeat(65), 64), TooDeepError)
  t.doesNotThrow(
    () => readExactJson(`[${'[],{},'.repeat(1_000)}"[[[\\"{{{"]`, 2),
    'brackets side by side or in text',
  )
  t.throws(() => readExactJson(nested(1_000_000), 64), TooDeepError, 'and no stack overflows')
})

t.test('JSON of our own is read as bigint where a double would lose digits, and written back', async t => {
  t.same(readJson('{"a":9007199254740991,"b":9007199254740993,"c":1.5,"d":[-18446744073709551615,1e3]}'), {
    a: 9007199254740991,
    b: 9007199254740993n,
    c: 1.5,
    d: [-18446744073709551615n, 1000],
  })
  const text = '{"a":[1,9007199254740993,null,"x"],"b":{"c":true}}'
  t.equal(writeJson(readJson(text)), text)
  const mixed = { at: new Date(0), none: undefined, items: [undefined] }
  t.equal(writeJson(mixed), '{"at":"1970-01-01T00:00:00.000Z","items":[null]}')
  t.throws(() => writeJson(undefined), TypeError)
})
