// Every kind of credential that must not count, beside those that do.
import { createPrivateKey, generateKeyPairSync, sign, type JsonWebKey, type KeyObject } from 'node:crypto'
import type { Call } from './open-system.js'
import type { Scope } from './description.js'

interface Signing {
  key: KeyObject
  kid: string
}

/** @param keys the JWT_PRIVATE_KEYS of the API */
export function signingOf(keys: string): Signing {
  const [key] = (JSON.parse(keys) as { keys: (JsonWebKey & { kid: string })[] }).keys
  return { key: createPrivateKey({ key: key!, format: 'jwk' }), kid: key!.kid }
}

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** The token with other claims, signed again. */
export function remake(token: string, { key, kid }: Signing, changed: object = {}): string {
  const claims = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as object
  const text = [encode({ alg: 'EdDSA', typ: 'JWT', kid }), encode({ ...claims, ...changed })].join('.')
  return `${text}.${sign(null, Buffer.from(text), key).toString('base64url')}`
}

/**
 * Tokens that do not count, each for one reason alone.
 * @param token one that counts
 * @param stranger the gateway of somebody else
 */
export function makeVoidTokens(token: string, signing: Signing, stranger: string): Record<string, string> {
  const { privateKey } = generateKeyPairSync('ed25519')
  const [header, payload, signature] = token.split('.') as [string, string, string]
  return {
    'text that is no token': 'let-me-in',
    'a token signed by a stranger': remake(token, { ...signing, key: privateKey }),
    'a token with another payload': [
      header,
      remake(token, signing, { gateway: stranger }).split('.')[1]!,
      signature,
    ].join('.'),
    'a token without a signature': [encode({ alg: 'none', kid: signing.kid }), payload, ''].join('.'),
    'a token signed with the public key': [
      encode({ alg: 'HS256', typ: 'JWT', kid: signing.kid }),
      payload,
      signature,
    ].join('.'),
    'a token that another environment issued': remake(token, signing, { iss: 'payment-tracking/devnet' }),
    'a token for another environment': remake(token, signing, { aud: 'payment-tracking-api/devnet' }),
    'a token that has expired': remake(token, signing, { exp: Math.floor(Date.now() / 1000) - 1 }),
    "a token of a wallet that is not the gateway's": remake(token, signing, { sub: stranger }),
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
