import { decimalAmount } from '@payment-tracking/domain'
import t from 'tap'

t.test('amounts are written exactly, without zeros at their end', async t => {
  for (const [raw, decimals, text] of [
    [0n, 6, '0'],
    [1n, 6, '0.000001'],
    [9_990_000n, 6, '9.99'],
    [10_000_000n, 6, '10'],
    [7n, 0, '7'],
    [100n, 0, '100'],
    [2n ** 64n - 1n, 9, '18446744073.709551615'],
    [1n, 29, `0.${'0'.repeat(28)}1`],
  ] as const)
    t.equal(decimalAmount(raw, decimals), text)
})
