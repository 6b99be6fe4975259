import assert from 'node:assert/strict'
import { getProgramDerivedAddress, type Address } from '@solana/addresses'
import bs58 from 'bs58'
import fc from 'fast-check'
import t from 'tap'
import { deriveGateway, derivePolicy, deriveUserPayment, isSignature } from '../src/addresses.js'

const decodesTo64 = (text: string) => bs58.decodeUnsafe(text)?.length === 64
const LARGEST = bs58.encode(new Uint8Array(64).fill(255))

t.test('a signature is what decodes to 64 bytes', async t => {
  const byHand = [
    LARGEST,
    `${LARGEST.slice(0, -1)}${String.fromCharCode(LARGEST.charCodeAt(87) + 1)}`,
    `2${'1'.repeat(87)}`,
    `1${LARGEST.slice(1)}`,
    'z'.repeat(88),
    'z'.repeat(87),
    '1'.repeat(64),
    '1'.repeat(65),
    `${LARGEST.slice(0, -1)}0`,
    `${LARGEST.slice(0, -1)}\n`,
    `${LARGEST}\n`,
    '',
  ]
  for (const text of byHand) t.equal(isSignature(text), decodesTo64(text), JSON.stringify(text))
  const digits = fc.constantFrom(...'123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz0OIl-')
  const texts = fc.oneof(
    fc.uint8Array({ minLength: 62, maxLength: 66 }).map(bytes => bs58.encode(bytes)),
    fc.string({ unit: digits, minLength: 62, maxLength: 90 }),
  )
  fc.assert(fc.property(texts, text => isSignature(text) === decodesTo64(text)))
})

t.test('addresses are derived as Solana derives them', async t => {
  const key = fc.uint8Array({ minLength: 32, maxLength: 32 }).map(bytes => bs58.encode(bytes))
  const u32 = fc.integer({ min: 0, max: 2 ** 32 - 1 })
  const bytesOf = (number: number) => Buffer.from(Uint32Array.of(number).buffer)
  const property = fc.asyncProperty(key, key, key, u32, async (program, first, second, number) => {
    const seeds = [
      ['gateway', bs58.decode(first)],
      ['user_payment', bs58.decode(first), bs58.decode(second)],
      ['payment_policy', bs58.decode(first), bytesOf(number)],
    ]
    const programAddress = program as Address
    const wanted = await Promise.all(seeds.map(seeds => getProgramDerivedAddress({ programAddress, seeds })))
    assert.deepEqual(
      [
        deriveGateway(program, first),
        deriveUserPayment(program, first, second),
        derivePolicy(program, first, number),
      ],
      wanted.map(([address]) => address as string),
    )
  })
  await fc.assert(property)
  t.pass()
})
