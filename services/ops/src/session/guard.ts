// Every page needs a session, and every change needs a form that this dashboard made.
import { cookieNameAt, countedAddress } from '@payment-tracking/runtime'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { html } from '../html/html.js'
import { layout } from '../html/layout.js'
import { refuse } from '../refuse.js'
import type { EndedSessions } from './ended-sessions.js'
import { FailedAttempts } from './failed-attempts.js'
import { readCookie, SESSION_COOKIE, SESSION_LIFETIME_MS, type Session, type Sessions } from './session.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** the value that CSRF tokens and notices are signed for: the session's id, or `bearer` */
    opsSession: string
  }
}

export interface GuardOptions {
  sessions: Sessions
  ended: EndedSessions
  environment: string
}

const OPEN_PATHS = new Set(['/sign-in', '/style.css'])
const TOO_MANY = 'Too many attempts from your address. Please come back in a minute.'

/** Browsers name the origin of a request. A request of another origin changes nothing. */
const isOfSameOrigin = (request: FastifyRequest): boolean => {
  const site = request.headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin' || site === 'none'
  const { origin, host } = request.headers
  return origin === undefined || (URL.canParse(origin) && new URL(origin).host === host)
}

export function guard(app: FastifyInstance, { sessions, ended, environment }: GuardOptions): void {
  const failures = new FailedAttempts()
  const isBlocked = (request: FastifyRequest) => failures.isBlocked(countedAddress(request.ip), Date.now())
  const noteFailure = (request: FastifyRequest) => {
    failures.note(countedAddress(request.ip), Date.now())
    request.log.warn({ ip: request.ip }, 'ops.sign-in-refused')
  }
  const sessionOf = (request: FastifyRequest): Session | null =>
    sessions.read(
      readCookie(request.headers.cookie, cookieNameAt(SESSION_COOKIE, request.headers.host)),
      Date.now(),
    )
  // Behind TLS, TRUST_PROXY makes the proxy's x-forwarded-proto count: then the browser sends the cookie over https only.
  const cookie = ({ protocol, headers: { host } }: FastifyRequest, value: string, maxAgeS: number) =>
    `${cookieNameAt(SESSION_COOKIE, host)}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${maxAgeS}${protocol === 'https' ? '; Secure' : ''}`
  const signInPage = (notice: string | null) =>
    layout(
      { title: 'Sign in', environment, csrf: null, notice },
      html`<form method="post" action="/sign-in">
        <label
          >Token <input type="password" name="token" autocomplete="current-password" autofocus required
        /></label>
        <button>Sign in</button>
      </form>`,
    )

  app.decorateRequest('opsSession', '')
  app.addHook('onRequest', async (request, reply) => {
    void reply.headers({
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'same-origin',
      'x-frame-options': 'DENY',
    })
    const changes = request.method !== 'GET' && request.method !== 'HEAD'
    if (changes && !isOfSameOrigin(request))
      return refuse(reply, 403, 'FORBIDDEN', 'The request does not come from this dashboard.')
    const path = request.url.split('?')[0]!
    if (OPEN_PATHS.has(path)) return
    const bearer = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1]
    if (bearer !== undefined) {
      if (isBlocked(request)) return refuse(reply.header('retry-after', '60'), 429, 'RATE_LIMITED', TOO_MANY)
      if (sessions.isToken(bearer)) {
        request.opsSession = 'bearer'
        return
      }
      noteFailure(request)
      return refuse(reply, 401, 'UNAUTHORIZED', 'This is not the token.')
    }
    const session = sessionOf(request)
    if (session !== null && !(await ended.has(session.id))) {
      request.opsSession = session.id
      return
    }
    if (request.headers.accept?.includes('text/html')) return reply.redirect('/sign-in', 303)
    return refuse(reply, 401, 'UNAUTHORIZED', 'Sign in first.')
  })

  app.get('/sign-in', (_request, reply) => reply.type('text/html').send(signInPage(null)))
  app.post<{ Body: Record<string, string> | null }>('/sign-in', (request, reply) => {
    void reply.type('text/html')
    if (isBlocked(request)) return reply.code(429).header('retry-after', '60').send(signInPage(TOO_MANY))
    if (!sessions.isToken(request.body?.token ?? '')) {
      noteFailure(request)
      return reply.code(401).send(signInPage('This is not the token.'))
    }
    request.log.info({ ip: request.ip }, 'ops.signed-in')
    return reply
      .header('set-cookie', cookie(request, sessions.open(Date.now()), SESSION_LIFETIME_MS / 1_000))
      .redirect('/', 303)
  })
  app.post('/sign-out', { preHandler: requireCsrf(sessions) }, async (request, reply) => {
    const session = sessionOf(request)
    // A copy of the cookie is invalid from now on.
    if (session) await ended.end(session)
    return reply.header('set-cookie', cookie(request, '', 0)).redirect('/sign-in', 303)
  })
}

/** For every form: the hidden field must belong to the session. A browser never sends a bearer token by itself. */
export const requireCsrf = (sessions: Sessions) => async (request: FastifyRequest, reply: FastifyReply) => {
  if (request.opsSession === 'bearer') return
  const given = (request.body as Record<string, string> | null)?.csrf
  if (typeof given !== 'string' || !sessions.isSigned(request.opsSession, 'csrf', given))
    return refuse(reply, 403, 'FORBIDDEN', 'The form is not of this session; load the page again.')
}
