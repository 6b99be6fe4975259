// The public API, through its typed client. Every page asks through here, so that each refusal is shown the same way.
import { createApiClient, type ApiClient } from '@payment-tracking/client'

export const BASE_URL = location.origin

interface Refusal {
  error?: string
  code?: string
  gateway?: string
}

/** A refusal of the API, in its own words. */
export class RequestError extends Error {
  override readonly name = 'RequestError'
  readonly status: number
  readonly code: string | undefined
  /** of SESSION_EXISTS: the gateway that the link signs in */
  readonly gateway: string | undefined

  constructor(status: number, refusal: Refusal | undefined) {
    super(refusal?.error ?? `The service answered with status ${status}.`)
    this.status = status
    this.code = refusal?.code
    this.gateway = refusal?.gateway
  }
}

/** @param secret a token or API key to sign in with; every other request is signed in by the cookie */
export const apiOf = (secret?: string): ApiClient =>
  createApiClient(BASE_URL, secret === undefined ? {} : { token: secret })

interface Answer<T> {
  data?: T
  error?: unknown
  response: Response
}

/**
 * The data of an answer.
 * @throws RequestError with the sentence of the service
 */
export async function ask<T>(request: Promise<Answer<T>>): Promise<T> {
  const { data, error, response } = await request
  if (response.ok) return data as T
  throw new RequestError(response.status, error as Refusal | undefined)
}
