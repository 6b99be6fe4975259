import { SubscribeRequest, UnsubscribeRequest, type SocketErrorCode } from '@payment-tracking/contracts'
import { isTrackingId, MAX_TRACKING_ID_BYTES } from '@payment-tracking/domain'
import { schemaProblem } from '@payment-tracking/runtime'
import type { Static, TSchema } from 'typebox'

/** Why a client's message was refused. The server answers with a refusal and does not throw it. */
export interface Refusal {
  code: SocketErrorCode
  message: string
}

export type Read<T> = { request: T } | { refusal: Refusal }

function readRequest<S extends TSchema>(schema: S, payload: unknown): Read<Static<S>> {
  const { trackingId } = (typeof payload === 'object' && payload !== null ? payload : {}) as {
    trackingId?: unknown
  }
  if (typeof trackingId !== 'string' || !isTrackingId(trackingId)) {
    const message = `trackingId must be a string of 1 to ${MAX_TRACKING_ID_BYTES} bytes without NUL`
    return { refusal: { code: 'INVALID_TRACKING_ID', message } }
  }
  const wrong = schemaProblem(schema, payload)
  if (wrong) {
    const message = `${wrong.field || 'the request'} ${wrong.problem}`
    return { refusal: { code: 'INVALID_REQUEST', message } }
  }
  return { request: payload as Static<S> }
}

export const readSubscribe = (payload: unknown) => readRequest(SubscribeRequest, payload)
export const readUnsubscribe = (payload: unknown) => readRequest(UnsubscribeRequest, payload)
