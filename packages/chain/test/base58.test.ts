import { randomBytes } from 'node:crypto'
import bs58 from 'bs58'
import t from 'tap'
import { decodeBase58, encodeBase58 } from '../src/base58.js'

t.test('base58 gives the same bytes as bs58, with leading zeros and without', async t => {
  const texts = Array.from({ length: 300 }, (_, size) => {
    const bytes = randomBytes(size)
    bytes.fill(0, 0, size % 4)
    return bs58.encode(bytes)
  })
  for (const text of [...texts, '1'.repeat(40), bs58.encode(new Uint8Array(4_096).fill(255))])
    t.equal(Buffer.from(decodeBase58(text)).toString('hex'), Buffer.from(bs58.decode(text)).toString('hex'))
})

t.test('base58 gives the same text as bs58, with leading zeros and without', async t => {
  const keys = Array.from({ length: 300 }, (_, at) =>
    randomBytes(at < 200 ? 32 : 3 + (at % 70)).fill(0, 0, at % 4),
  )
  for (const bytes of [...keys, new Uint8Array(32), new Uint8Array(32).fill(255)])
    t.equal(encodeBase58(bytes), bs58.encode(bytes))
})

t.test('a text with a foreign character is refused', async t => {
  for (const text of ['0', `${'2'.repeat(40)}l`, `${'2'.repeat(20)}é${'2'.repeat(20)}`])
    t.throws(() => decodeBase58(text))
})
