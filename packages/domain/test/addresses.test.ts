import assert from 'node:assert/strict'
import { getProgramDerivedAddress, type Address } from '@solana/addresses'
import bs58 from 'bs58'
import fc from 'fast-check'
import t from 'tap'
import {
  deriveGateway,
  derivePolicy,
  deriveUserPayment,
  isPublicKey,
  isSignature,
} from '../src/keys/addresses.js'
import { derivePaymentsDelegate, deriveTokenAccount } from '../src/index.js'

for (const [what, size, is] of [
  ['a public key', 32, isPublicKey],
  ['a signature', 64, isSignature],
] as const) {
  t.test(`${what} is what decodes to ${size} bytes`, async t => {
    const decodes = (text: string) => bs58.decodeUnsafe(text)?.length === size
    const greatest = bs58.encode(new Uint8Array(size).fill(255))
    /** Without a leading zero. */
    const least = bs58.encode(Uint8Array.of(1, ...new Uint8Array(size - 1)))
    const step = (text: string, by: number) =>
      text.slice(0, -1) + String.fromCharCode(text.charCodeAt(text.length - 1) + by)
    const byHand = [
      ...[greatest, step(greatest, 1), `1${greatest.slice(1)}`, `${greatest.slice(0, -1)}0`],
      ...[`${greatest.slice(0, -1)}\n`, `${greatest}\n`, `${greatest}1`],
      ...[least, step(least, -1), `1${least}`, `1${least.slice(1)}`, `2${'1'.repeat(greatest.length - 1)}`],
      ...[greatest.length, least.length].map(length => 'z'.repeat(length)),
      ...['1'.repeat(size), '1'.repeat(size + 1), '1'.repeat(size - 1), ''],
    ]
    for (const text of byHand) t.equal(is(text), decodes(text), JSON.stringify(text))
    const digits = fc.constantFrom(...'123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz0OIl-')
    const texts = fc.oneof(
      fc.uint8Array({ minLength: size - 2, maxLength: size + 2 }).map(bytes => bs58.encode(bytes)),
      fc.string({ unit: digits, minLength: size - 2, maxLength: greatest.length + 2 }),
    )
    fc.assert(fc.property(texts, text => is(text) === decodes(text)))
  })
}

const ASSOCIATED_TOKENS = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL'

t.test('addresses are derived as Solana derives them', async t => {
  const key = fc.uint8Array({ minLength: 32, maxLength: 32 }).map(bytes => bs58.encode(bytes))
  const u32 = fc.integer({ min: 0, max: 2 ** 32 - 1 })
  const bytesOf = (number: number) => Buffer.from(Uint32Array.of(number).buffer)
  const property = fc.asyncProperty(key, key, key, u32, async (program, first, second, number) => {
    const seeds = [
      ['gateway', bs58.decode(first)],
      ['user_payment', bs58.decode(first), bs58.decode(second)],
      ['payment_policy', bs58.decode(first), bytesOf(number)],
      ['payments'],
    ]
    const derive = (of: string, seeds: (string | Uint8Array)[]) =>
      getProgramDerivedAddress({ programAddress: of as Address, seeds })
    const wanted = await Promise.all([
      ...seeds.map(each => derive(program, each)),
      derive(
        ASSOCIATED_TOKENS,
        [first, program, second].map(each => bs58.decode(each)),
      ),
    ])
    const derived = [
      deriveGateway(program, first),
      deriveUserPayment(program, first, second),
      derivePolicy(program, first, number),
      derivePaymentsDelegate(program),
      deriveTokenAccount(first, program, second),
    ]
    assert.deepEqual(
      derived,
      wanted.map(([address]) => address as string),
    )
  })
  await fc.assert(property)
  t.pass()
})
