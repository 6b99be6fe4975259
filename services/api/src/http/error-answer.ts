import { errorAnswer, ServiceError, type Refusal } from '@payment-tracking/runtime'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { ExpectationExistsError } from '@payment-tracking/store/admin'
import { NotYetError } from '@payment-tracking/store/core'
import { RedeliveryQuotaError } from '@payment-tracking/store/deliveries'
import { ApiError, ArchivedError, SessionExistsError } from './api-errors.js'
import { STATUSES } from './statuses.js'
import { setPosition } from './set-position.js'

/** Refusals of the framework itself, by their codes. */
const FRAMEWORK: Readonly<Record<string, { code: string; sentence: string }>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: { code: 'BODY_TOO_LARGE', sentence: 'The request body is too large.' },
  FST_ERR_CTP_INVALID_MEDIA_TYPE: {
    code: 'UNSUPPORTED_MEDIA_TYPE',
    sentence: 'The content type is not supported; send application/json.',
  },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: {
    code: 'INVALID_BODY',
    sentence: 'The request body is not as long as content-length says.',
  },
  FST_ERR_CTP_EMPTY_JSON_BODY: { code: 'INVALID_BODY', sentence: 'The request body is empty; send JSON.' },
  FST_ERR_CTP_INVALID_JSON_BODY: { code: 'INVALID_BODY', sentence: 'The request body is not valid JSON.' },
  FST_ERR_BAD_URL: { code: 'INVALID_REQUEST', sentence: 'The path is not properly percent-encoded.' },
  FST_ERR_MAX_PARAM_LENGTH: { code: 'INVALID_REQUEST', sentence: 'A path parameter is too long.' },
  FST_ERR_HANDLER_TIMEOUT: { code: 'STORE_TIMEOUT', sentence: 'The answer took too long. Please try again.' },
}

const INTERNAL = { status: 500, code: 'INTERNAL', sentence: 'Something went wrong on our side.' }
const SENTENCES_OF_503: Readonly<Record<string, string>> = {
  STORE_TIMEOUT: 'The answer took too long to find. Please narrow the request or try again.',
  NOT_YET: 'What x-min-position asks for is not known here yet. Please try again.',
  STOPPING: 'This instance is stopping. Please try again.',
}
const UNAVAILABLE = 'The service cannot answer right now. Please try again.'

/** Status, code and sentence of any error. A 5xx takes nothing from the error but its code. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof ServiceError) {
    const status = STATUSES[error.code]?.[0]
    if (status !== undefined && (status < 500 || error instanceof ApiError)) {
      const refusal = { status, code: error.code, sentence: error.message }
      if (error instanceof ExpectationExistsError) return { ...refusal, id: error.id }
      if (error instanceof SessionExistsError) return { ...refusal, gateway: error.gateway }
      return error instanceof ArchivedError ? { ...refusal, archivedMonth: error.archivedMonth } : refusal
    }
    if (status === 503) {
      return { status, code: error.code, sentence: SENTENCES_OF_503[error.code] ?? UNAVAILABLE }
    }
    return INTERNAL
  }
  const { code, statusCode } = error as Partial<FastifyError>
  const known = code === undefined ? undefined : FRAMEWORK[code]
  if (known) return { status: STATUSES[known.code]![0], ...known }
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    // Only refusals of the framework and its plugins carry a status: this service throws ServiceErrors.
    const ofStatus = Object.entries(STATUSES).find(([, [status]]) => status === statusCode)
    return {
      status: ofStatus ? statusCode : 400,
      code: ofStatus?.[0] === undefined || statusCode === 400 ? 'INVALID_REQUEST' : ofStatus[0],
      sentence: 'The request is not valid.',
    }
  }
  return INTERNAL
}

/** The only place that turns an error into a status and a body. */
export function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const refusal = refusalOf(error)
  if (refusal.status >= 500) {
    const level = refusal.status === 500 ? 'error' : 'warn'
    request.log[level]({ err: error, code: refusal.code }, 'request.failed')
  }
  if (error instanceof RedeliveryQuotaError) void reply.header('retry-after', error.goesOnInSeconds)
  if (refusal.status === 503) void reply.header('retry-after', '1')
  if (error instanceof NotYetError && error.head) setPosition(reply, error.head)
  void reply
    .code(refusal.status)
    .header('content-type', 'application/json; charset=utf-8')
    .header('cache-control', 'no-store')
    .serializer(JSON.stringify)
    .send(errorAnswer(refusal, request.id))
}
