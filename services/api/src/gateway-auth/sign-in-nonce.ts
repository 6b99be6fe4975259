// Nonces that are verified without storage: the end of a nonce is a MAC over the rest, with a key that all pods derive
// from JWT_PRIVATE_KEYS. Making a nonce stores nothing, so strangers who request nonces cannot fill any storage.
import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'

export const NONCE_LIFETIME_MS = 60_000
/** The purpose of a nonce key: a key derived for another purpose never makes a nonce. */
const PURPOSE = 'payment-tracking sign-in nonce 1'

export interface SignInNonces {
  /**
   * The text that a gateway's wallet signs. Wallets show the text to their users, so the text names the service and
   * environment, the gateway, and the expiry.
   */
  make(gateway: string, expiresAt: Date): string
  /** Whether a pod of this environment made this text for this gateway, and it has not expired. */
  isLive(nonce: string, gateway: string, nowMs: number): boolean
}

/** A key for nonces from the secret half of a signing key. */
export const deriveNonceKey = (secret: Uint8Array): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, new Uint8Array(), PURPOSE, 32))

/**
 * @param keys the first key makes nonces, all keys verify: while signing keys are rotated, pods have different first
 *   keys
 */
export function buildSignInNonces(environment: string, keys: readonly [Buffer, ...Buffer[]]): SignInNonces {
  const mac = (key: Buffer, text: string): string =>
    createHmac('sha256', key).update(text).digest('base64url')
  const textOf = (gateway: string, expiresAt: string, random: string) =>
    `Sign in to payment-tracking-api (${environment}) as gateway ${gateway}, until ${expiresAt}, nonce ${random}`
  return {
    make(gateway, expiresAt) {
      const text = textOf(gateway, expiresAt.toISOString(), randomBytes(18).toString('base64url'))
      return `${text}.${mac(keys[0], text)}`
    },
    isLive(nonce, gateway, nowMs) {
      const end = nonce.lastIndexOf('.')
      const text = nonce.slice(0, end)
      const [, expiresAt, random] = /, until (\S+), nonce ([\w-]{24})$/.exec(text) ?? []
      if (expiresAt === undefined || random === undefined) return false
      if (text !== textOf(gateway, expiresAt, random)) return false
      const given = Buffer.from(nonce.slice(end + 1))
      const isOurs = keys.some(key => {
        const right = Buffer.from(mac(key, text))
        return given.length === right.length && timingSafeEqual(given, right)
      })
      return isOurs && Date.parse(expiresAt) > nowMs
    },
  }
}
