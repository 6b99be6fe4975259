// Every kind of credential that must not count, beside those that do.
import { createPrivateKey, generateKeyPairSync, sign, type JsonWebKey, type KeyObject } from 'node:crypto'
import type { Call } from './open-system.js'
import type { Scope } from './description.js'

interface Signing {
  key: KeyObject
  kid: string
}

interface Claims {
  gateway: string
  signer: string
  environment: string
  /** Unix seconds */
  endsAt: number
}

/** @param keys the JWT_PRIVATE_KEYS of the API */
export function signingOf(keys: string): Signing {
  const [key] = (JSON.parse(keys) as { keys: (JsonWebKey & { kid: string })[] }).keys
  return { key: createPrivateKey({ key: key!, format: 'jwk' }), kid: key!.kid }
}

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

function makeToken({ key, kid }: Signing, { gateway, signer, environment, endsAt }: Claims): string {
  const text = [
    encode({ alg: 'EdDSA', typ: 'JWT', kid }),
    encode({
      gateway,
      sub: signer,
      exp: endsAt,
      iat: endsAt - 900,
      iss: `payment-tracking/${environment}`,
      aud: `payment-tracking-api/${environment}`,
    }),
  ].join('.')
  return `${text}.${sign(null, Buffer.from(text), key).toString('base64url')}`
}

/** Tokens that claim to be of this gateway and do not count. */
export function makeVoidTokens(signing: Signing, claims: Claims): Record<string, string> {
  const { privateKey } = generateKeyPairSync('ed25519')
  const whole = makeToken(signing, claims)
  const [header, payload, signature] = whole.split('.') as [string, string, string]
  return {
    'text that is no token': 'let-me-in',
    'a token signed by a stranger': makeToken({ key: privateKey, kid: signing.kid }, claims),
    'a token with another payload': [header, encode({ ...claims, sub: claims.signer }), signature].join('.'),
    'a token without a signature': [encode({ alg: 'none', kid: signing.kid }), payload, ''].join('.'),
    'a token signed with the public key': [
      encode({ alg: 'HS256', typ: 'JWT', kid: signing.kid }),
      payload,
      signature,
    ].join('.'),
    'a token of another environment': makeToken(signing, { ...claims, environment: 'devnet' }),
    'a token that has expired': makeToken(signing, { ...claims, endsAt: Math.floor(Date.now() / 1000) - 1 }),
    "a token of a wallet that is not the gateway's": makeToken(signing, {
      ...claims,
      signer: claims.gateway,
    }),
  }
}

export interface MadeKey {
  id: number
  key: string
}

/** @param token of the gateway's wallet */
export async function makeKey(call: Call, token: string, scopes: readonly Scope[]): Promise<MadeKey> {
  const { status, body } = await call('POST', '/v1/api-keys', { token, body: { name: 'machine', scopes } })
  if (status !== 201) throw new Error(`POST /v1/api-keys: ${JSON.stringify(body)}`)
  return body as MadeKey
}
