// The behaviour of the clients' published verifier: the accepted key, algorithm, audience and issuer, and the compared
// claims. Written from the verifier's behaviour, for tests only.
import { createRemoteJWKSet, jwtVerify } from 'jose'

// Tests read untyped JSON on purpose.
// oxlint-disable-next-line typescript/no-explicit-any
type Untyped = any

export interface Expected {
  recipient: string
  wallet: string
  memo?: string
  variant?: string
  status?: string
}

const same = (a: unknown, b: unknown): boolean => String(a).trim() === String(b).trim()

export function openVerifier(baseUrl: string) {
  const keys = createRemoteJWKSet(new URL(`${baseUrl}/.well-known/jwks.json`))
  const verify = async (token: string, wallet: string): Promise<Untyped> => {
    const { payload } = await jwtVerify(token, keys, {
      algorithms: ['ES256'],
      audience: 'tributary-checkout',
      issuer: 'https://api.tributary.so',
      clockTolerance: 30,
    })
    if (payload.sub !== wallet) throw new Error('another wallet')
    return payload
  }
  const find = (list: Untyped[], what: string, fits: (one: Untyped) => boolean): Untyped => {
    const found = (list ?? []).find(fits)
    if (!found) throw new Error(`no ${what}`)
    return found
  }
  const findPayment = (payload: Untyped, { recipient, wallet, memo }: Expected) =>
    find(
      payload.lastPayments,
      'payment',
      one => one.recipient === recipient && one.payer === wallet && same(one.memo, memo),
    )
  return {
    verify,
    verifyPayment: async (token: string, expected: Expected) =>
      findPayment(await verify(token, expected.wallet), expected),
    verifyPolicy: async (token: string, expected: Expected) =>
      find(
        (await verify(token, expected.wallet)).policies,
        'policy',
        one =>
          one.recipient === expected.recipient &&
          (expected.variant === undefined || one.variant === expected.variant) &&
          (expected.status === undefined || one.status === expected.status),
      ),
    /** From the time before policy variants: a paid subscription, and a payment with the memo. */
    verifySubscription: async (token: string, expected: Expected) => {
      const payload = await verify(token, expected.wallet)
      const subscription = find(
        payload.subscriptions,
        'paid subscription',
        one => one.recipient === expected.recipient && one.status === 'paid',
      )
      findPayment(payload, expected)
      return subscription
    },
  }
}
