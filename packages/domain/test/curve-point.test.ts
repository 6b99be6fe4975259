import { Point } from '@noble/ed25519'
import fc from 'fast-check'
import t from 'tap'
import { isCurvePoint } from '../src/keys/curve-point.js'

const P = 2n ** 255n - 19n

/** As a library tells it, by finding the point; a y of P and more counts, as it does on the chain. */
function isPoint(bytes: Uint8Array): boolean {
  try {
    Point.fromBytes(bytes, true)
    return true
  } catch {
    return false
  }
}

const bytesOf = (number: bigint): Buffer =>
  Buffer.from(number.toString(16).padStart(64, '0'), 'hex').reverse()

t.test('bytes are a point when a library finds one', async t => {
  const edges = [0n, 1n, 2n, 3n, P - 2n, P - 1n, P, P + 1n, 2n ** 255n - 1n, 2n ** 32n, 2n ** 64n, 2n ** 254n]
  for (const y of edges) {
    for (const written of [y, y + 2n ** 255n]) {
      const bytes = bytesOf(written)
      t.equal(isCurvePoint(bytes), isPoint(bytes), String(written))
    }
  }
  const hashes = fc.uint8Array({ minLength: 32, maxLength: 32 })
  fc.assert(
    fc.property(hashes, bytes => isCurvePoint(Buffer.from(bytes)) === isPoint(bytes)),
    { numRuns: 1_000 },
  )
})
