// One set with the public keys of every token that this service signs.
import type { JWK } from 'jose'
import { Type } from 'typebox'
import type { ApiServer } from '../api-server.js'
import { READ_REFUSALS } from '../http/error-answer-schema.js'
import { Text } from '../http/fields.js'

const KeySet = Type.Object(
  {
    keys: Type.Array(
      Type.Object({
        kty: Text('`OKP` or `EC`'),
        crv: Text('`Ed25519` or `P-256`'),
        x: Text('the public key or its first half, base64url'),
        y: Type.Optional(Text('of a P-256 key, its second half')),
        kid: Text('names the key in a token’s header'),
        alg: Text('`EdDSA` for tokens of gateways, `ES256` for proofs of payment'),
        use: Text('`sig`'),
      }),
    ),
  },
  { title: 'KeySet' },
)

type PublicKeyFields = Record<'kty' | 'crv' | 'x' | 'kid' | 'alg' | 'use', string>

/** @param keys public JWKs, each with kid, alg and use: verifiers choose a key by these */
export function addKeyRoutes(app: ApiServer, keys: readonly JWK[]): void {
  for (const [path, operationId] of [
    ['/.well-known/jwks.json', 'getKeys'],
    ['/v1/jwks', 'listKeys'],
  ] as const) {
    app.get(
      path,
      {
        config: { reads: 'nothing' },
        schema: {
          operationId,
          tags: ['gateway sign-in'],
          summary: 'List public keys',
          description:
            'Verifiers choose a key by the `kid` of a token. The set holds the keys of sign-ins and of proofs of payment; both paths give the same answer.',
          response: { 200: KeySet, ...READ_REFUSALS },
        },
      },
      (_request, reply) => {
        // A new key is published for longer than this time before it signs (CHECKOUT_TOKEN_KEYS).
        void reply.header('cache-control', 'public, max-age=300')
        return { keys: keys as PublicKeyFields[] }
      },
    )
  }
}
