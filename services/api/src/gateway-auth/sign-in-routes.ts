// A gateway signs in: it requests a nonce, signs the nonce with its wallet, and gets a token.
import { countedAddress } from '@payment-tracking/runtime'
import { buildNonces, RedisUnavailableError, type RedisConnections } from '@payment-tracking/redis'
import type { Store } from '@payment-tracking/store'
import { Type } from 'typebox'
import type { ApiServer } from '../api-server.js'
import { ApiError, NotFoundError } from '../http/api-errors.js'
import { NOT_FOUND_REFUSAL, READ_REFUSALS, refusal } from '../http/error-answer-schema.js'
import { Moment, PublicKey, Text } from '../http/fields.js'
import { isSignedBy, readSignature } from './check-signature.js'
import { readSigners } from './gateway-auth.js'
import { TOKEN_LIFETIME_S, type GatewayTokens } from './gateway-tokens.js'
import { buildSignInNonces, NONCE_LIFETIME_MS } from './sign-in-nonce.js'
import type { SigningKeys } from './signing-keys.js'

export interface SignInParts {
  store: Store
  /** without Redis, no gateway can sign in */
  redis: RedisConnections | undefined
  keys: SigningKeys
  tokens: GatewayTokens
  environment: string
  /** sign-in requests a client may make in a minute */
  limit: number
}

/** Redis must remember a used nonce for as long as any pod may accept the nonce: the pods' clocks differ. */
const REMEMBER_USED_MS = NONCE_LIFETIME_MS + 60_000

const Challenge = Type.Object(
  {
    nonce: Text('sign the UTF-8 bytes of this text with the ed25519 key of the authority or signer'),
    gateway: PublicKey('the gateway'),
    expiresAt: Moment('until when the nonce can be used, once'),
  },
  { title: 'Challenge' },
)

const Token = Type.Object(
  {
    token: Text('a JWT, to be sent as `authorization: Bearer …`'),
    expiresIn: Type.Integer({ description: 'seconds until it ends' }),
  },
  { title: 'Token' },
)

const Proof = Type.Object(
  {
    signer: Text('the public key that signed: the authority of the gateway or its current signer'),
    signature: Type.Union([Type.String(), Type.Array(Type.Integer())], {
      description: 'the signature of the nonce: base58, or an array of 64 bytes',
    }),
    nonce: Type.Optional(
      Text(
        'the nonce that was signed; without it, the newest that fits of those this client address was given',
      ),
    ),
  },
  { title: 'Proof' },
)

export function addSignInRoutes(app: ApiServer, parts: SignInParts): void {
  const { store, tokens } = parts
  const nonces = buildSignInNonces(parts.environment, parts.keys.nonceKeys)
  const memory = parts.redis && buildNonces(parts.redis)
  const needMemory = () => {
    if (!memory) throw new RedisUnavailableError('no Redis is configured')
    return memory
  }
  const params = Type.Object({ gateway: PublicKey('the gateway that signs in') })
  const config = { rateLimit: { max: parts.limit, groupId: 'sign-in' } }

  app.post(
    '/v1/gateway/:gateway/auth/challenge',
    {
      config,
      schema: {
        operationId: 'challengeGateway',
        tags: ['gateway sign-in'],
        summary: 'Ask for a nonce to sign',
        description:
          'The nonce is a text that names the service, its environment, the gateway and the end of its life. It works once, within 60 s.',
        params,
        response: { 200: Challenge, ...NOT_FOUND_REFUSAL, ...READ_REFUSALS },
      },
    },
    async (request, reply) => {
      const { gateway } = request.params
      if (!(await readSigners(store, gateway))) throw new NotFoundError('There is no such gateway.')
      const expiresAt = new Date(Date.now() + NONCE_LIFETIME_MS)
      const nonce = nonces.make(gateway, expiresAt)
      await needMemory().note(gateway, countedAddress(request.ip), nonce, NONCE_LIFETIME_MS)
      void reply.header('cache-control', 'no-store')
      return { nonce, gateway, expiresAt: expiresAt.toISOString() }
    },
  )

  app.post(
    '/v1/gateway/:gateway/auth/verify',
    {
      config,
      schema: {
        operationId: 'verifyGateway',
        tags: ['gateway sign-in'],
        summary: 'Trade a signed nonce for a token',
        description:
          "The signer is the gateway's authority or its current signer, and signs the bytes of the nonce. Without `nonce`, the newest one that fits is taken. A failed attempt uses up nothing.",
        params,
        body: Proof,
        response: { 200: Token, 401: refusal('The proof does not hold.'), ...READ_REFUSALS },
      },
    },
    async (request, reply) => {
      const { gateway } = request.params
      const { signer, nonce: given } = request.body
      // The same sentence for every reason, so that guessing reveals nothing. A failed attempt does not use a nonce up.
      const refused = new ApiError(
        'SIGN_IN_REFUSED',
        'The sign-in does not hold. Please ask for a new nonce.',
      )
      const signature = readSignature(request.body.signature)
      if (!signature || !(await readSigners(store, gateway))?.includes(signer)) throw refused
      const candidates =
        given === undefined ? await needMemory().list(gateway, countedAddress(request.ip)) : [given]
      for (const nonce of candidates) {
        if (!nonces.isLive(nonce, gateway, Date.now())) continue
        if (!(await isSignedBy(signer, signature, nonce))) continue
        // Only a signature of the gateway itself makes Redis store anything.
        if (!(await needMemory().use(nonce, REMEMBER_USED_MS))) break
        request.log.info({ gateway, signer }, 'gateway.signed-in')
        void reply.header('cache-control', 'no-store')
        return { token: await tokens.issue({ gateway, signer }), expiresIn: TOKEN_LIFETIME_S }
      }
      throw refused
    },
  )
}
