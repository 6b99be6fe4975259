// The cookie of a session. It is HttpOnly, so scripts cannot read it. It is SameSite=Strict, so other sites' pages cannot send it.
import { createHash, randomBytes } from 'node:crypto'
import { cookieNameAt } from '@payment-tracking/runtime'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { SignInOrigins } from './sign-in-origins.js'

/** 256 bits, in base64url. Only its hash is stored: as random, it cannot be found from the hash. */
const SECRET = /^[\w-]{43}$/

/** A new value of a cookie, or a new link, and what the service keeps of it. */
export function makeSessionSecret(): { secret: string; hash: string } {
  const secret = randomBytes(32).toString('base64url')
  return { secret, hash: hashSessionSecret(secret) }
}

export const hashSessionSecret = (secret: string): string => createHash('sha256').update(secret).digest('hex')

export interface SessionCookie {
  /** The hash of what a request's cookie holds; null without a cookie. */
  read(request: FastifyRequest): string | null
  /** Sets the cookie on a page of this service. */
  set(request: FastifyRequest, reply: FastifyReply, secret: string, expiresAt: Date): void
  clear(request: FastifyRequest, reply: FastifyReply): void
}

/**
 * @param environment part of the cookie's name. Without it, two deployments on one machine would overwrite each other's cookies
 */
export function buildSessionCookie(environment: string, { isSecure }: SignInOrigins): SessionCookie {
  const plainAt = (host: string | undefined) => cookieNameAt(`session-${environment}`, host)
  // A browser accepts a cookie with this prefix only over https and only from this host, so a subdomain cannot set it.
  const secureAt = (host: string | undefined) => `__Host-${plainAt(host)}`
  const write = (
    { headers: { origin = '', host } }: FastifyRequest,
    reply: FastifyReply,
    value: string,
    maxAgeS: number,
  ) => {
    const byHttps = origin.startsWith('https:')
    void reply.header(
      'set-cookie',
      `${byHttps ? secureAt(host) : plainAt(host)}=${value}; Max-Age=${maxAgeS}; Path=/; HttpOnly; SameSite=Strict${byHttps ? '; Secure' : ''}`,
    )
  }
  return {
    read: ({ headers: { cookie = '', host } }) => {
      const sent = new Map(cookie.split(';').map(part => splitOnce(part.trim())))
      const secret = sent.get(secureAt(host)) ?? (isSecure ? undefined : sent.get(plainAt(host)))
      return secret === undefined || !SECRET.test(secret) ? null : hashSessionSecret(secret)
    },
    set: (request, reply, secret, expiresAt) =>
      write(request, reply, secret, Math.ceil((expiresAt.getTime() - Date.now()) / 1_000)),
    clear: (request, reply) => write(request, reply, '', 0),
  }
}

function splitOnce(text: string): [string, string] {
  const at = text.indexOf('=')
  return [text.slice(0, at), text.slice(at + 1)]
}
