import { createPrivateKey, sign } from 'node:crypto'
import bs58 from 'bs58'

/** @param secret a Solana wallet's: base58 of the ed25519 seed and its public key. @returns the signature in base58 */
export function signWith(secret: string, text: string): string {
  const seed = Buffer.from(bs58.decode(secret).slice(0, 32))
  const head = Buffer.from('302e020100300506032b657004220420', 'hex')
  const key = createPrivateKey({ key: Buffer.concat([head, seed]), format: 'der', type: 'pkcs8' })
  return bs58.encode(sign(null, Buffer.from(text, 'utf8'), key))
}
