// The sites at which gateways sign in, from PUBLIC_ORIGINS. A wallet shows its owner the site that the signed text names:
// so a site that is not listed gets no text that names it, and the listed ones are no use to it. A request's Host chooses
// at most a name of this machine, because whoever asks can write any Host.
import { readOrigin, readOrigins } from '@payment-tracking/runtime'
import type { FastifyRequest } from 'fastify'
import { ApiError } from '../http/api-errors.js'

export interface SignInOrigins {
  /**
   * The site that a request comes from: its `Origin`, or the first of the setting for programs, which send none.
   * @throws ApiError ORIGIN_REFUSED for another site
   */
  ofRequest(request: FastifyRequest): string
  /** Whether gateways sign in at this site. */
  includes(origin: string): boolean
  /**
   * Whether a page of this service sent the request, by what browsers say of their requests and no page can change. A
   * cookie counts in no other request. One that writes must name its site. So no page has to keep a CSRF token.
   */
  isOwnPage(request: FastifyRequest): boolean
  /** Every site is served by https alone. */
  isSecure: boolean
}

const LOOPBACK = /^https?:\/\/(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/

/**
 * @param setting origins, comma separated. Without it the service is used on its own machine alone: every site there may
 *   sign in
 * @param port of REST, for the default
 */
export function readSignInOrigins(setting: string | undefined, port: number): SignInOrigins {
  const listed = setting === undefined ? undefined : readOrigins(setting)
  const includes = (origin: string) => listed?.includes(origin) ?? LOOPBACK.test(origin)
  return {
    includes,
    isSecure: listed?.every(origin => origin.startsWith('https:')) ?? false,
    isOwnPage: ({ method, headers: { origin: sent, host, 'sec-fetch-site': site } }) => {
      const isRead = method === 'GET' || method === 'HEAD'
      if (site !== undefined && site !== 'same-origin' && !(isRead && site === 'none')) return false
      if (sent === undefined) return isRead
      const origin = readOrigin(sent)
      return origin !== null && (listed?.includes(origin) ?? isAtHost(origin, host))
    },
    ofRequest: ({ headers: { origin: sent, host } }) => {
      const here = LOOPBACK.test(`http://${host}`)
        ? new URL(`http://${host}`).origin
        : `http://127.0.0.1:${port}`
      const origin = sent === undefined ? (listed?.[0] ?? here) : readOrigin(sent)
      if (origin !== null && includes(origin)) return origin
      throw new ApiError(
        'ORIGIN_REFUSED',
        'Gateways do not sign in at this site. Its origin is none of PUBLIC_ORIGINS.',
      )
    },
  }
}

/** Whether a `Host` names the host of an origin. Some proxies add the default port to it. */
const isAtHost = (origin: string, host: string | undefined): boolean =>
  readOrigin(`${new URL(origin).protocol}//${host}`) === origin
