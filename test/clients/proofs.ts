// Proofs of payment as the incumbent's server makes them and its published verifier reads them.
import { createPublicKey, generateKeyPairSync, sign, verify, type JsonWebKey } from 'node:crypto'

const ISSUER = 'https://api.tributary.so'
const AUDIENCE = 'tributary-checkout'
/** A signature of ES256 is two numbers, without ASN.1. */
const dsaEncoding = 'ieee-p1363'

export type ProofKey = JsonWebKey & { kid: string }

export const makeProofKey = (kid: string): ProofKey => ({
  ...generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' }),
  kid,
})

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
const decode = (part = '') => JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>

/** A token that is valid for a day. */
export function makeProof(key: ProofKey, claims: Record<string, unknown>): string {
  const now = Math.floor(Date.now() / 1000)
  const header = { alg: 'ES256', kid: key.kid, typ: 'JWT' }
  const body = { iss: ISSUER, aud: AUDIENCE, iat: now, nbf: now, exp: now + 86_400, jti: 'old', ...claims }
  const text = `${encode(header)}.${encode(body)}`
  const signature = sign('sha256', Buffer.from(text), { key, format: 'jwk', dsaEncoding })
  return `${text}.${signature.toString('base64url')}`
}

/** Whether the verifier takes the token: the key by its `kid`, then issuer, audience, time and wallet. */
export function isProofOf(wallet: string, token: string, published: readonly ProofKey[]): boolean {
  const [header, body, signature] = token.split('.')
  const { alg, kid } = decode(header)
  const found = published.find(each => each.kid === kid)
  if (!found || alg !== 'ES256') return false
  const key = createPublicKey({ key: found, format: 'jwk' })
  const isSigned = verify(
    'sha256',
    Buffer.from(`${header}.${body}`),
    { key, dsaEncoding },
    Buffer.from(signature!, 'base64url'),
  )
  const { iss, aud, sub, exp } = decode(body)
  return isSigned && iss === ISSUER && aud === AUDIENCE && sub === wallet && Number(exp) > Date.now() / 1000
}
