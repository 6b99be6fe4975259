import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { isTrackingId, readMemoText, readTrackingId } from '../src/index.js'
import { hold } from './hold.js'

const LENGTH = 64
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)
function padded(bytes: Uint8Array): Uint8Array {
  const memo = new Uint8Array(LENGTH)
  memo.set(bytes)
  return memo
}

/** Whole characters of all widths, no NUL, none that Unicode rules would change or a decoder might drop. */
const characters = fc.oneof(
  fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  fc.constantFrom('\uFEFF', ' ', '\n', 'é', 'e\u0301', '☕', '😀', '\u2028', '\u0001'),
)
const trackingIds = fc
  .array(characters, { minLength: 1, maxLength: LENGTH })
  .map(parts => parts.join(''))
  .filter(text => !text.includes('\0') && bytesOf(text).length <= LENGTH)

t.test('the tracking ID is the memo without its padding: nothing trimmed, normalised or dropped', async t => {
  const property = fc.property(trackingIds, text => {
    assert.equal(readTrackingId(padded(bytesOf(text))), text)
    assert(isTrackingId(text), 'and what a memo can hold can be asked for')
  })
  hold(t, 'text in, the same text out', property, 500)
  for (const text of ['\uFEFFid', ' id ', 'e\u0301', 'x'.repeat(LENGTH), 'ß'.repeat(LENGTH / 2), '\uFEFF']) {
    t.equal(readTrackingId(padded(bytesOf(text))), text)
  }
})

t.test('a memo without text, with a NUL inside, or that is not UTF-8 has no tracking ID', async t => {
  for (const [memo, text] of [
    [new Uint8Array(LENGTH), ''],
    [bytesOf('order-1'), 'order-1'],
    [bytesOf('a\0b'), 'a'],
    [bytesOf('\0a'), ''],
    [Uint8Array.of(0x61, 0xff, 0x62), 'a\uFFFDb'],
    [bytesOf('\uFEFFx'), '\uFEFFx'],
  ] as const)
    t.equal(readMemoText(padded(memo)), text, 'a record says it all the same')
  t.equal(readTrackingId(new Uint8Array(LENGTH)), null, 'all NUL')
  t.equal(readTrackingId(padded(bytesOf('a\0b'))), null, 'a NUL inside')
  t.equal(readTrackingId(padded(bytesOf('\0a'))), null, 'a NUL in front')
  t.equal(readTrackingId(padded(Uint8Array.of(0xff))), null, 'no UTF-8')
  t.equal(readTrackingId(padded(Uint8Array.of(0xc0, 0x80))), null, 'an overlong NUL')
  t.equal(readTrackingId(padded(Uint8Array.of(0xed, 0xa0, 0x80))), null, 'half a surrogate pair')
  t.equal(readTrackingId(bytesOf('x'.repeat(62) + '☕').subarray(0, LENGTH)), null, 'a cut character')
})

t.test('any bytes either have no tracking ID or give back exactly themselves', async t => {
  const bytes = fc.uint8Array({ minLength: LENGTH, maxLength: LENGTH })
  const property = fc.property(bytes, fc.nat(LENGTH), (bytes, end) => {
    const memo = Buffer.from(padded(bytes.subarray(0, end)))
    const text = memo.toString('utf8').replace(/\0+$/, '')
    const isText = Buffer.from(memo.toString('utf8')).equals(memo) && text !== '' && !text.includes('\0')
    assert.equal(readTrackingId(memo), isText ? text : null)
  })
  hold(t, 'as a lenient decoder and a comparison have it', property, 500)
})

t.test('a lookup is 1 to 64 bytes of UTF-8 without NUL', async t => {
  t.ok(isTrackingId('x'.repeat(64)))
  t.notOk(isTrackingId('x'.repeat(65)))
  t.ok(isTrackingId('ß'.repeat(32)))
  t.notOk(isTrackingId('ß'.repeat(32) + 'x'), '65 bytes in 33 characters')
  t.ok(isTrackingId('😀'.repeat(16)))
  t.notOk(isTrackingId('😀'.repeat(17)))
  t.notOk(isTrackingId(''))
  t.notOk(isTrackingId('a\0'))
  t.notOk(isTrackingId('\ud800'), 'would be sent as U+FFFD, which another memo may hold')
  t.notOk(isTrackingId('a\udc00b'))
  t.ok(isTrackingId('\uFFFD'))
})
