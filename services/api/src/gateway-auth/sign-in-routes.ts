// A gateway signs in: it requests a nonce, signs the nonce with its wallet, and gets a token.
import { countedAddress } from '@payment-tracking/runtime'
import { signersOf } from '@payment-tracking/domain'
import { readGatewayState } from '@payment-tracking/store/admin'
import { type Store } from '@payment-tracking/store/core'
import { Type } from 'typebox'
import type { ApiServer } from '../api-server.js'
import { NotFoundError } from '../http/api-errors.js'
import { NOT_FOUND_REFUSAL, READ_REFUSALS, refusal } from '../http/error-answer-schema.js'
import { Moment, PublicKey, Text } from '../http/fields.js'
import { TOKEN_LIFETIME_S, type GatewayTokens } from './gateway-tokens.js'
import { NONCE_LIFETIME_MS } from './sign-in-nonce.js'
import type { SignInOrigins } from './sign-in-origins.js'
import { Proof, type SignInProofs } from './sign-in-proof.js'

export interface SignInParts {
  store: Store
  proofs: SignInProofs
  tokens: GatewayTokens
  origins: SignInOrigins
  /** sign-in requests a client may make in a minute */
  limit: number
}

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

const FOREIGN_SITE = refusal('Gateways do not sign in at the site of this request.')

export function addSignInRoutes(app: ApiServer, parts: SignInParts): void {
  const { store, proofs, tokens, origins } = parts
  const params = Type.Object({ gateway: PublicKey('the gateway that signs in') })
  const config = { rateLimit: { max: parts.limit, groupId: 'sign-in' } }

  app.post(
    '/v1/gateway/:gateway/auth/challenge',
    {
      config,
      schema: {
        operationId: 'challengeGateway',
        tags: ['gateway sign-in'],
        summary: 'Get a nonce to sign',
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
      const nonce = proofs.nonces.make({ origin, signer, gateway, issuedAt, expiresAt })
      await proofs.memory().note(gateway, countedAddress(request.ip), nonce, NONCE_LIFETIME_MS)
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
        summary: 'Sign in with a wallet',
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
      const claims = await proofs.check(request, gateway, request.body)
      void reply.header('cache-control', 'no-store')
      return { token: await tokens.issue(claims), expiresIn: TOKEN_LIFETIME_S }
    },
  )
}
