// Standard Webhooks, symmetric: https://github.com/standard-webhooks/standard-webhooks (spec, "Signature scheme").
import { createHmac, timingSafeEqual } from 'node:crypto'

const SECRET_PREFIX = 'whsec_'
/** The specification allows 24 to 64 random bytes. */
export const WEBHOOK_SECRET_BYTES = 32

/** @param bytes random; WEBHOOK_SECRET_BYTES of them */
export function webhookSecretOf(bytes: Uint8Array): string {
  if (bytes.length !== WEBHOOK_SECRET_BYTES) throw new RangeError(`${WEBHOOK_SECRET_BYTES} bytes are needed`)
  return SECRET_PREFIX + Buffer.from(bytes).toString('base64')
}

/**
 * The three headers of one attempt.
 * @param message.sentAt the time of this attempt, in whole seconds since 1970; every attempt signs anew
 * @param secrets `whsec_…`, one signature each: after a rotation the new one and those whose grace has not ended
 */
export function signDelivery(
  message: { id: string; sentAt: number; body: string },
  secrets: readonly string[],
): { 'webhook-id': string; 'webhook-timestamp': string; 'webhook-signature': string } {
  const signed = `${message.id}.${message.sentAt}.${message.body}`
  const signatures = secrets.map(secret => {
    const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64')
    return `v1,${createHmac('sha256', key).update(signed, 'utf8').digest('base64')}`
  })
  return {
    'webhook-id': message.id,
    'webhook-timestamp': String(message.sentAt),
    'webhook-signature': signatures.join(' '),
  }
}

/** The specification lets a receiver accept this much difference between two clocks. */
const TOLERANCE_SECONDS = 300

/**
 * Whether one of the secrets signed a request, within five minutes.
 * @param headers with names in lower case
 * @param nowSeconds since 1970
 */
export function isSignedDelivery(
  headers: Readonly<Record<string, string | undefined>>,
  body: string,
  secrets: readonly string[],
  nowSeconds: number,
): boolean {
  const { 'webhook-id': id = '', 'webhook-timestamp': sentAt = '', 'webhook-signature': sent = '' } = headers
  if (!/^\d{1,12}$/.test(sentAt) || !(Math.abs(nowSeconds - Number(sentAt)) <= TOLERANCE_SECONDS))
    return false
  const right = signDelivery({ id, sentAt: Number(sentAt), body }, secrets)['webhook-signature']
  const known = right.split(' ').map(signature => Buffer.from(signature))
  return sent.split(' ').some(signature => {
    const given = Buffer.from(signature)
    return known.some(each => each.length === given.length && timingSafeEqual(each, given))
  })
}
