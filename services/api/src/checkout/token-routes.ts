// Proof-of-payment tokens for clients of the incumbent.
import type { preHandlerHookHandler } from 'fastify'
import { Type, type Static, type TSchema } from 'typebox'
import type { ApiServer } from '../api-server.js'
import { ApiError } from '../http/api-errors.js'
import { NOT_FOUND_REFUSAL, READ_REFUSALS, refusal } from '../http/error-answer-schema.js'
import { Nullable, PublicKey, Signature, Text, TrackingId } from '../http/fields.js'
import type { CheckoutRequest, CheckoutTokens } from './checkout-tokens.js'
import { limitProofs } from './limit-proofs.js'

/** Null counts as not given. */
const orNull = <T extends TSchema>(schema: T) => Type.Optional(Nullable(schema))

const IssueRequest = Type.Object(
  {
    walletPublicKey: orNull(PublicKey('the wallet whose policies and payments are told')),
    recipient: orNull(PublicKey('only what pays this recipient')),
    tokenMint: orNull(PublicKey('only what is paid in this token')),
    policyAddress: orNull(PublicKey('only this policy')),
    trackingId: orNull(TrackingId('only what carries this tracking ID')),
    transactionSignature: orNull(Signature('only the payments of this transaction')),
  },
  { additionalProperties: false },
)

const IssuedToken = Type.Object(
  {
    token: Text('a JWT, signed by a key of `/.well-known/jwks.json` with ES256'),
    expiresAt: Type.Integer({ description: 'Unix time in seconds at which it ends' }),
  },
  { title: 'ProofOfPayment' },
)

const REFUSALS = {
  ...NOT_FOUND_REFUSAL,
  ...READ_REFUSALS,
}

const tags = ['proof of payment']

/** Before requests are counted: the schema cannot say which fields go together. */
const refuseUnnamed: preHandlerHookHandler = (request, _reply, done) => {
  const { walletPublicKey, recipient, trackingId, transactionSignature } = request.body as Static<
    typeof IssueRequest
  >
  if (walletPublicKey ?? transactionSignature ?? (recipient && trackingId)) return done()
  const problem = 'Give walletPublicKey, or transactionSignature, or recipient and trackingId.'
  done(new ApiError('INVALID_BODY', problem))
}

/** @param tokens undefined where the deployment has no keys for them */
export function addTokenRoutes(app: ApiServer, { tokens }: { tokens: CheckoutTokens | undefined }): void {
  const needTokens = (): CheckoutTokens => {
    if (!tokens)
      throw new ApiError('CHECKOUT_TOKENS_OFF', 'This deployment has no CHECKOUT_TOKEN_KEYS to sign with.')
    return tokens
  }

  app.post(
    '/v1/tokens/issue',
    {
      config: { rateLimit: false },
      preHandler: [refuseUnnamed, limitProofs(app)],
      schema: {
        operationId: 'issueToken',
        tags,
        summary: 'Issue a proof of payment',
        description:
          'Needs a wallet, or a recipient with a tracking ID, or a transaction. Anybody may ask for anybody’s token: it proves a payment, not who bears it. Anybody can make a policy with anybody’s memo, in any token: compare `recipient`, `tokenMint`, `amount` and `memo` of a payment in `lastPayments` with the order. A subscription that was never paid is `pending` until its due date and `overdue` from then on. 404 while nothing is stored, or while a policy is younger than 15 s and its first payment is not stored: ask again. 200 requests a minute for each pair of the caller’s address and the wallet (or, without one, the tracking ID), and 2,000 for each address; what cannot be read is not counted. By a wallet alone, the newest 1,000 policies of each of its payment accounts are looked at: name the policy or the transaction of an older payment. By a tracking ID, its newest 50,000 payments are looked at: name the wallet or the transaction of an older one. Null counts as not given.',
        body: IssueRequest,
        response: {
          200: IssuedToken,
          422: refusal('Another wallet made the payment of the transaction.'),
          ...REFUSALS,
        },
      },
    },
    async (request, reply) => {
      const given = Object.fromEntries(
        Object.entries(request.body).filter(([, value]) => value !== null),
      ) as CheckoutRequest
      void reply.header('cache-control', 'no-store')
      return needTokens().issue(given)
    },
  )

  app.post(
    '/v1/tokens/refresh',
    {
      schema: {
        operationId: 'refreshToken',
        tags,
        summary: 'Refresh a proof of payment',
        description: 'For what the old one was issued for, until seven days after its end.',
        security: [{ proofOfPayment: [] }],
        response: {
          200: IssuedToken,
          401: refusal('The token is none of ours, or it ended too long ago.'),
          422: refusal('Another wallet made the payment of the transaction.'),
          ...REFUSALS,
        },
      },
    },
    async (request, reply) => {
      void reply.header('cache-control', 'no-store')
      const token = /^Bearer +([\w-]+\.[\w-]+\.[\w-]+) *$/i.exec(request.headers.authorization ?? '')?.[1]
      if (token === undefined) throw new ApiError('UNAUTHORIZED', 'Send the old token as a bearer token.')
      return needTokens().refresh(token)
    },
  )
}
