// The proof that a wallet of a gateway has signed a nonce, once.
import { countedAddress } from '@payment-tracking/runtime'
import {
  buildNonces,
  RedisUnavailableError,
  type Nonces,
  type RedisConnections,
} from '@payment-tracking/redis'
import { signerSince } from '@payment-tracking/domain'
import { readGatewayState } from '@payment-tracking/store/admin'
import { type Store } from '@payment-tracking/store/core'
import type { FastifyRequest } from 'fastify'
import { Type, type Static } from 'typebox'
import { ApiError } from '../http/api-errors.js'
import { Text } from '../http/fields.js'
import { isSignedBy, readSignature } from './check-signature.js'
import type { GatewayClaims } from './gateway-tokens.js'
import { buildSignInNonces, NONCE_LIFETIME_MS, type SignInNonces } from './sign-in-nonce.js'
import type { SignInOrigins } from './sign-in-origins.js'
import type { SigningKeys } from './signing-keys.js'

/** Redis must remember a used nonce for as long as any pod may accept the nonce: the pods' clocks differ. */
const REMEMBER_USED_MS = NONCE_LIFETIME_MS + 60_000

export const PROOF_FIELDS = {
  signer: Text('the public key that signed: the authority of the gateway or its current signer'),
  signature: Type.Union([Type.String(), Type.Array(Type.Integer())], {
    description: 'the signature of the nonce: base58, or an array of 64 bytes',
  }),
  nonce: Type.Optional(
    Text(
      'the nonce that was signed; without it, the newest that fits of those this client address was given',
    ),
  ),
}
export const Proof = Type.Object(PROOF_FIELDS, { title: 'Proof' })
export type Proof = Static<typeof Proof>

export interface SignInProofs {
  nonces: SignInNonces
  /** What was given to whom, and what was used. @throws RedisUnavailableError */
  memory(): Nonces
  /**
   * A failed attempt uses up nothing.
   * @throws ApiError SIGN_IN_REFUSED, or ORIGIN_REFUSED at another site
   */
  check(request: FastifyRequest, gateway: string, proof: Proof): Promise<GatewayClaims>
}

export interface SignInParts {
  store: Store
  /** without Redis, no wallet can sign in */
  redis: RedisConnections | undefined
  keys: SigningKeys
  environment: string
  origins: SignInOrigins
}

export function buildSignInProofs({ store, redis, keys, environment, origins }: SignInParts): SignInProofs {
  const nonces = buildSignInNonces(environment, keys.nonceKeys)
  const known = redis && buildNonces(redis)
  const memory = () => {
    if (!known) throw new RedisUnavailableError('no Redis is configured')
    return known
  }
  return {
    nonces,
    memory,
    async check(request, gateway, { signer, signature: sent, nonce: given }) {
      // The same sentence for every reason, so that guessing reveals nothing. A failed attempt does not use a nonce up.
      const refused = new ApiError(
        'SIGN_IN_REFUSED',
        'The sign-in does not hold. Please ask for a new nonce.',
      )
      const signature = readSignature(sent)
      origins.ofRequest(request)
      const state = await readGatewayState(store, gateway)
      const since = state && signerSince(state, signer)
      if (!signature || !since) throw refused
      const candidates =
        given === undefined ? await memory().list(gateway, countedAddress(request.ip)) : [given]
      for (const nonce of candidates) {
        const text = nonces.read(nonce, gateway, Date.now())
        if (!text || !origins.includes(text.origin)) continue
        if (!(await isSignedBy(signer, signature, nonce))) continue
        // Only a signature of the gateway itself makes Redis store anything.
        if (!(await memory().use(nonce, REMEMBER_USED_MS))) break
        request.log.info({ gateway, signer }, 'gateway.signed-in')
        return { gateway, signer, since }
      }
      throw refused
    },
  }
}
