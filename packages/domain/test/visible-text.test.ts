// Lies here because `contracts` has no tests of its own.
import { visibleText } from '@payment-tracking/contracts'
import t from 'tap'

t.test('what is not seen in a memo is shown as its code', async t => {
  const unseen = [
    ...[0xad, 0x34f, 0x61c, 0x115f, 0x1160, 0x17b4, 0x180b, 0x180e, 0x2800, 0x3164, 0xfe0f, 0xffa0, 0xfff9],
    ...[0xe0001, 0xe0020, 0xe0041, 0xe007f, 0xe0100, 0x1d173],
    ...[
      0x0, 0x7, 0x9, 0xa, 0xd, 0x1b, 0x7f, 0x85, 0x9b, 0xa0, 0x2003, 0x200b, 0x200d, 0x200e, 0x2028, 0x202e,
    ],
    ...[0x2060, 0x2066, 0x3000, 0xfeff, 0xd800, 0xe000, 0x10ffff],
  ]
  for (const code of unseen) {
    const shown = `\\u{${code.toString(16)}}`
    t.equal(visibleText(`order${String.fromCodePoint(code)}-1`), `order${shown}-1`, shown)
  }
  for (const text of ['order-42', 'Café № 7', '注文 12', 'طلب', 'заказ', '🍕 €5', '\\u{1b}'])
    t.equal(visibleText(text), text)
  t.equal(visibleText('{\n\t"a": "\u001b"\r}', { keepLines: true }), '{\n\t"a": "\\u{1b}"\\u{d}}')
})
