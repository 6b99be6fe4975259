import { SubscribeRequest, UnsubscribeRequest, type SocketErrorCode } from '@payment-tracking/contracts'
import type { Static, TSchema } from 'typebox'
import Value from 'typebox/value'

/** Why a message of a client was refused: its answer, not an exception. */
export interface Refusal {
  code: SocketErrorCode
  message: string
}

export type Read<T> = { request: T } | { refusal: Refusal }

/** A surrogate without its other half: such a text has no UTF-8 bytes, so no memo can hold it. */
const LONE_SURROGATE = /\p{Surrogate}/u
const MAX_TRACKING_ID_BYTES = 64

/** The tracking IDs that a payment can have: what remains of a memo's 64 bytes. */
export const isTrackingId = (value: unknown): value is string =>
  typeof value === 'string' &&
  value !== '' &&
  !value.includes('\0') &&
  !LONE_SURROGATE.test(value) &&
  Buffer.byteLength(value) <= MAX_TRACKING_ID_BYTES

function readRequest<S extends TSchema>(schema: S, payload: unknown): Read<Static<S>> {
  const { trackingId } = (typeof payload === 'object' && payload !== null ? payload : {}) as {
    trackingId?: unknown
  }
  if (!isTrackingId(trackingId)) {
    const message = 'trackingId must be a string of 1 to 64 bytes without NUL'
    return { refusal: { code: 'INVALID_TRACKING_ID', message } }
  }
  const [error] = Value.Errors(schema, payload)
  if (error) {
    const field = error.instancePath.slice(1) || 'the request'
    return { refusal: { code: 'INVALID_REQUEST', message: `${field} ${error.message}` } }
  }
  return { request: payload as Static<S> }
}

export const readSubscribe = (payload: unknown) => readRequest(SubscribeRequest, payload)
export const readUnsubscribe = (payload: unknown) => readRequest(UnsubscribeRequest, payload)
