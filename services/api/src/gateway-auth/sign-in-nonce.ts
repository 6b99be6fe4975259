// Nonces that are verified without storage: the end of a nonce's random part is a MAC over the rest, with a key that all
// pods derive from JWT_PRIVATE_KEYS. Making a nonce stores nothing, so strangers who request nonces cannot fill any
// storage.
import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'

export const NONCE_LIFETIME_MS = 60_000
/** The purpose of a nonce key: a key derived for another purpose never makes a nonce. */
const PURPOSE = 'payment-tracking sign-in nonce 1'

/** What a nonce says. */
export interface SignInText {
  /** the site at which the gateway signs in */
  origin: string
  /** the wallet that is asked to sign */
  signer: string
  gateway: string
  issuedAt: Date
  expiresAt: Date
}

export interface SignInNonces {
  /**
   * The text that a gateway's wallet signs, in the form of "Sign in with Solana": wallets show it to their users, and warn
   * when the site that it names first is not the site that asks.
   */
  make(text: SignInText): string
  /**
   * What a nonce says if a pod of this environment made it for this gateway and it has not expired.
   * @returns null for every other text
   */
  read(nonce: string, gateway: string, nowMs: number): SignInText | null
}

/** A key for nonces from the secret half of a signing key. */
export const deriveNonceKey = (secret: Uint8Array): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, new Uint8Array(), PURPOSE, 32))

const RANDOM_BYTES = 16
const FORM =
  /^\S+ wants you to sign in with your Solana account:\n(\S+)\n\n.+ as gateway (\S+)\.\n\nURI: (\S+)\nVersion: 1\nNonce: ([\da-f]{32})([\da-f]{64})\nIssued At: (\S+)\nExpiration Time: (\S+)$/

/**
 * @param keys the first key makes nonces, all keys verify: while signing keys are rotated, pods have different first
 *   keys
 */
export function buildSignInNonces(environment: string, keys: readonly [Buffer, ...Buffer[]]): SignInNonces {
  const mac = (key: Buffer, text: string): string => createHmac('sha256', key).update(text).digest('hex')
  const textOf = ({ origin, signer, gateway, issuedAt, expiresAt }: SignInText, nonce: string) =>
    `${new URL(origin).host} wants you to sign in with your Solana account:
${signer}

Sign in to payment-tracking-api (${environment}) as gateway ${gateway}.

URI: ${origin}
Version: 1
Nonce: ${nonce}
Issued At: ${issuedAt.toISOString()}
Expiration Time: ${expiresAt.toISOString()}`
  return {
    make(text) {
      const random = randomBytes(RANDOM_BYTES).toString('hex')
      return textOf(text, random + mac(keys[0], textOf(text, random)))
    },
    read(nonce, gateway, nowMs) {
      const [, signer, named, origin, random, sent, issued, expires] = FORM.exec(nonce) ?? []
      if (named !== gateway || !URL.canParse(origin!)) return null
      const [issuedAt, expiresAt] = [new Date(issued!), new Date(expires!)]
      if (!(issuedAt.getTime() <= expiresAt.getTime() && expiresAt.getTime() > nowMs)) return null
      const text = { origin: origin!, signer: signer!, gateway, issuedAt, expiresAt }
      if (textOf(text, random! + sent!) !== nonce) return null
      const given = Buffer.from(sent!)
      const isOurs = keys.some(key => timingSafeEqual(given, Buffer.from(mac(key, textOf(text, random!)))))
      return isOurs ? text : null
    },
  }
}
