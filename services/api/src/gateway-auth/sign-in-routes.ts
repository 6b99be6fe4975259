// A gateway signs in: it requests a nonce, signs the nonce with its wallet, and gets a token.
import { countedAddress } from '@payment-tracking/runtime'
import { buildNonces, RedisUnavailableError, type RedisConnections } from '@payment-tracking/redis'
import { signerSince, signersOf } from '@payment-tracking/domain'
import { readGatewayState, type Store } from '@payment-tracking/store'
import { Type } from 'typebox'
import type { ApiServer } from '../api-server.js'
import { ApiError, NotFoundError } from '../http/api-errors.js'
import { NOT_FOUND_REFUSAL, READ_REFUSALS, refusal } from '../http/error-answer-schema.js'
import { Moment, PublicKey, Text } from '../http/fields.js'
import { isSignedBy, readSignature } from './check-signature.js'
import { TOKEN_LIFETIME_S, type GatewayTokens } from './gateway-tokens.js'
import { buildSignInNonces, NONCE_LIFETIME_MS } from './sign-in-nonce.js'
import type { SignInOrigins } from './sign-in-origins.js'
import type { SigningKeys } from './signing-keys.js'

export interface SignInParts {
  store: Store
  /** without Redis, no gateway can sign in */
  redis: RedisConnections | undefined
  keys: SigningKeys
  tokens: GatewayTokens
  environment: string
  origins: SignInOrigins
  /** sign-in requests a client may make in a minute */
  limit: number
}

/** Redis must remember a used nonce for as long as any pod may accept the nonce: the pods' clocks differ. */
const REMEMBER_USED_MS = NONCE_LIFETIME_MS + 60_000

const Challenge = Type.Object(
  {
    nonce: Text(
      'sign the UTF-8 bytes of this text, lines and all, with the ed25519 key of the authority or signer',
    ),
    gateway: PublicKey('the gateway'),
    expiresAt: Moment('until when the nonce can be used, once'),
  },
  { title: 'Challenge' },
)

const Wish = Type.Union([
  Type.Object({
    signer: Type.Optional(
      PublicKey('the wallet that will sign, named in the nonce; without it the current signer'),
    ),
  }),
  Type.Null(),
])

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

const FOREIGN_SITE = refusal('Gateways do not sign in at the site of this request.')

export function addSignInRoutes(app: ApiServer, parts: SignInParts): void {
  const { store, tokens, origins } = parts
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
          'The nonce is a text in the form of “Sign in with Solana”: it names the site, the wallet, the service, its environment, the gateway and the end of its life. It works once, within 60 s. A page signs in at a site of `PUBLIC_ORIGINS` alone, and should check that the text begins with its own host before a wallet signs it.',
        params,
        body: Wish,
        response: { 200: Challenge, 403: FOREIGN_SITE, ...NOT_FOUND_REFUSAL, ...READ_REFUSALS },
      },
    },
    async (request, reply) => {
      const { gateway } = request.params
      const origin = origins.ofRequest(request)
      const state = await readGatewayState(store, gateway)
      const signers = state && signersOf(state)
      if (!signers) throw new NotFoundError('There is no such gateway.')
      const issuedAt = new Date()
      const expiresAt = new Date(issuedAt.getTime() + NONCE_LIFETIME_MS)
      const signer = request.body?.signer ?? signers.signer
      const nonce = nonces.make({ origin, signer, gateway, issuedAt, expiresAt })
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
        response: {
          200: Token,
          401: refusal('The proof does not hold.'),
          403: FOREIGN_SITE,
          ...READ_REFUSALS,
        },
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
      origins.ofRequest(request)
      const state = await readGatewayState(store, gateway)
      const since = state && signerSince(state, signer)
      if (!signature || !since) throw refused
      const candidates =
        given === undefined ? await needMemory().list(gateway, countedAddress(request.ip)) : [given]
      for (const nonce of candidates) {
        const text = nonces.read(nonce, gateway, Date.now())
        if (!text || !origins.includes(text.origin)) continue
        if (!(await isSignedBy(signer, signature, nonce))) continue
        // Only a signature of the gateway itself makes Redis store anything.
        if (!(await needMemory().use(nonce, REMEMBER_USED_MS))) break
        request.log.info({ gateway, signer }, 'gateway.signed-in')
        void reply.header('cache-control', 'no-store')
        return { token: await tokens.issue({ gateway, signer, since }), expiresIn: TOKEN_LIFETIME_S }
      }
      throw refused
    },
  )
}
