import createClient, { type Client } from 'openapi-fetch'
import { rootOf } from './base-url.js'
import type { components, paths } from './generated/api-types.js'
import { exactFetch } from './exact-fetch.js'
import { positionsOf } from './position-memory.js'

export type ApiClient = Client<paths>
export type Schemas = components['schemas']

export interface ApiClientOptions {
  /** a gateway's token, for the routes of gateways */
  token?: string
  headers?: Record<string, string>
}

/**
 * The REST interface, typed by its OpenAPI document: `client.GET('/v1/events', {params: {query: {…}}})` gives
 * `{data, error, response}`. Integers beyond 2⁵³ come as bigint, all others as number. Each read asks for an answer that
 * knows everything this process was told by an answer, `watchPayments` or `watchEvents` of the same service.
 * @param baseUrl the service's root, such as `http://127.0.0.1:3002` or `https://shop.example/pay`
 */
export function createApiClient(baseUrl: string, { token, headers = {} }: ApiClientOptions = {}): ApiClient {
  const positions = positionsOf(baseUrl)
  return createClient<paths>({
    baseUrl: rootOf(baseUrl),
    headers: { ...headers, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) },
    fetch: request => exactFetch(request, sent => positions.fetch(sent as Request)),
  })
}

/** Where the next page of a list begins: pass it as `cursor`; null on the last page. */
export const nextCursor = (response: Response): string | null => response.headers.get('x-next-cursor')
