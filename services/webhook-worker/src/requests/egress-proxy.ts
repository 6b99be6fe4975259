// The way out through WEBHOOK_PROXY_URL: an HTTP CONNECT to an address that was checked. The proxy resolves no name, so the
// checks of targets hold, and TLS runs from here to the endpoint. undici's ProxyAgent would ask the proxy for the name.
import {
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestOptions,
} from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { Socket } from 'node:net'
import { readRetryAfterMs } from '@payment-tracking/domain'
import { EgressProxyAwayError, EgressProxyRefusedError } from './errors.js'
import { readNoProxy, type Target } from './no-proxy.js'
import type { PinnedAddress } from './resolve-target.js'

export interface EgressProxy {
  /** Whether requests to this target leave through the proxy. */
  isFor(target: Target): boolean
  /**
   * Opens a tunnel to one of the addresses, beginning with any.
   * @throws EgressProxyAwayError; EgressProxyRefusedError; an error when the proxy reaches none of the addresses
   */
  open(addresses: readonly PinnedAddress[], port: number): Promise<Socket>
}

export interface EgressProxyOptions {
  /** `http://` or `https://`, with the credentials of the proxy */
  url: string
  /** what is reached directly, as WEBHOOK_NO_PROXY says it */
  except: string
  /** for one exchange with an endpoint */
  timeoutMs: number
  /** certificates instead of the system's, of an `https://` proxy */
  trustOnly?: string | undefined
}

/**
 * What proxies say of the endpoint, beside the status: Squid, whose 503 may be of either, and those that follow RFC 9209. The others
 * are words for a limit or a rule of the proxy.
 */
const OF_ENDPOINT = {
  'x-squid-error': /^ERR_(CONNECT_FAIL|DNS_FAIL|CANNOT_FORWARD|READ_|ZERO_SIZE)/,
  'proxy-status': /\berror="?(dns_|connection_(?!limit)|destination_(?!ip_prohibited)|tls_)/,
}

/** Why the proxy opened no tunnel: it did not reach the endpoint, or it refuses by itself. */
function refusalOf(status: number, headers: IncomingHttpHeaders): Error {
  if (status === 407)
    return new EgressProxyAwayError('the proxy refuses the credentials of WEBHOOK_PROXY_URL')
  const sentence = `the proxy answered ${status}`
  const isOfEndpoint =
    (status >= 500 && status !== 503) ||
    Object.entries(OF_ENDPOINT).some(([name, words]) => words.test(String(headers[name] ?? '')))
  return isOfEndpoint
    ? new Error(sentence)
    : new EgressProxyRefusedError(sentence, readRetryAfterMs(headers['retry-after'], Date.now()))
}

export function openEgressProxy({ url, except, timeoutMs, trustOnly }: EgressProxyOptions): EgressProxy {
  const proxy = new URL(url)
  const isDirect = readNoProxy(except)
  const request = proxy.protocol === 'https:' ? httpsRequest : httpRequest
  const credentials = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`
  const authorization =
    credentials === ':'
      ? {}
      : { 'proxy-authorization': `Basic ${Buffer.from(credentials).toString('base64')}` }
  const common: RequestOptions = {
    host: proxy.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: proxy.port || (proxy.protocol === 'https:' ? 443 : 80),
    method: 'CONNECT',
    agent: false,
    ...(trustOnly === undefined ? {} : { ca: trustOnly }),
  }

  const connect = ({ address, family }: PinnedAddress, port: number): Promise<Socket> =>
    new Promise((resolve, reject) => {
      const target = `${family === 6 ? `[${address}]` : address}:${port}`
      const headers = { host: target, ...authorization }
      const asking = request({ ...common, path: target, headers })
      // Half of the exchange: a proxy that does not answer is away before the exchange is over, and no try is spent.
      const away = setTimeout(() => asking.destroy(new Error('no connection')), timeoutMs / 2)
      let isThere = false
      asking.once('socket', socket =>
        socket.once(proxy.protocol === 'https:' ? 'secureConnect' : 'connect', () => {
          isThere = true
          clearTimeout(away)
          // From here on the proxy waits for the endpoint.
          asking.setTimeout(timeoutMs, () => asking.destroy(new Error('no answer to CONNECT')))
        }),
      )
      asking.once('connect', ({ statusCode = 0, headers }: IncomingMessage, socket: Socket, head: Buffer) => {
        asking.setTimeout(0)
        if (statusCode < 200 || statusCode > 299) {
          socket.destroy()
          return reject(refusalOf(statusCode, headers))
        }
        if (head.length > 0) socket.unshift(head)
        resolve(socket)
      })
      asking.once('error', cause => {
        clearTimeout(away)
        // Between CONNECT and its answer, a cut connection is the proxy's: an endpoint's failure would be a status.
        const isAway = !isThere || (cause as { code?: string }).code === 'ECONNRESET'
        reject(isAway ? new EgressProxyAwayError('WEBHOOK_PROXY_URL cannot be reached', { cause }) : cause)
      })
      asking.end()
    })

  return {
    isFor: target => !isDirect(target),
    open: async (addresses, port) => {
      const first = Math.floor(Math.random() * addresses.length)
      let failure: unknown
      for (const address of [...addresses.slice(first), ...addresses.slice(0, first)]) {
        try {
          return await connect(address, port)
        } catch (error) {
          if (error instanceof EgressProxyAwayError || error instanceof EgressProxyRefusedError) throw error
          failure = error
        }
      }
      throw failure
    },
  }
}
