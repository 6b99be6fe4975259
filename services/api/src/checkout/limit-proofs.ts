// Limits requests for proofs of payment. Many buyers can stand behind one address, and each of them asks again every
// 1.5 seconds until the payment is stored: so the limit is for an address together with the wallet that a request names,
// or the tracking ID where it names none. Wallets and tracking IDs are public: a limit by the name alone would let a
// stranger lock its owner out. The limit of an address is high, and stops a client that names a new wallet each time.
import { countedAddress } from '@payment-tracking/runtime'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ApiServer } from '../api-server.js'
import { tooManyRequests } from '../limits/limit-requests.js'

/** requests a minute from one address for one wallet or one tracking ID */
const PER_NAME = 200
/** requests a minute from one address */
const PER_ADDRESS = 2_000

/** What a request for a proof can name. */
interface Named {
  walletPublicKey?: string | null
  trackingId?: string | null
}

/**
 * A `preHandler`: a request that cannot be read is refused before, and is not counted. A form that asks at each letter
 * of an address sends many such requests.
 */
export function limitProofs(app: ApiServer): (request: FastifyRequest, reply: FastifyReply) => Promise<void> {
  const limit = (max: number, keyOf: (request: FastifyRequest) => string) =>
    app.createRateLimit({ max, keyGenerator: keyOf })
  const at = ({ ip }: FastifyRequest) => `proofs at ${countedAddress(ip)}`
  const byAddress = limit(PER_ADDRESS, at)
  const byName = limit(PER_NAME, request => {
    const { walletPublicKey, trackingId } = request.body as Named
    return `${at(request)} ${walletPublicKey ? `of ${walletPublicKey}` : `for ${trackingId}`}`
  })
  return async (request, reply) => {
    const { walletPublicKey, trackingId } = request.body as Named
    const limits = (walletPublicKey ?? trackingId) ? [byAddress, byName] : [byAddress]
    const counts = []
    for (const count of limits) {
      const counted = await count(request)
      if (!counted.isAllowed) counts.push(counted)
      if (!counted.isAllowed && counted.isExceeded) break
    }
    const [tightest] = counts.sort((a, b) => a.remaining - b.remaining || a.max - b.max)
    if (!tightest) return
    const { max, remaining, ttlInSeconds, isExceeded } = tightest
    void reply.headers({
      'ratelimit-limit': max,
      'ratelimit-remaining': remaining,
      'ratelimit-reset': ttlInSeconds,
    })
    if (!isExceeded) return
    void reply.header('retry-after', ttlInSeconds)
    throw tooManyRequests(`${ttlInSeconds} seconds`)
  }
}
