// Nobody sees anything without a session, and nothing changes without a form that this dashboard made.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { html } from '../html/html.js'
import { layout } from '../html/layout.js'
import { readCookie, SESSION_COOKIE, type Sessions } from './session.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** the session's id, for its CSRF token */
    opsSession: string
  }
}

/** Failed sign-ins a minute, over all clients: the dashboard has few users and one password. */
const FAILURES_A_MINUTE = 20

export interface GuardOptions {
  sessions: Sessions
  environment: string
  secureCookie: boolean
}

const OPEN_PATHS = new Set(['/sign-in', '/style.css'])

/** Browsers say where a request comes from; one from elsewhere changes nothing here. */
const isOfSameOrigin = (request: FastifyRequest): boolean => {
  const site = request.headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin' || site === 'none'
  const { origin, host } = request.headers
  return origin === undefined || (URL.canParse(origin) && new URL(origin).host === host)
}

export function guard(app: FastifyInstance, { sessions, environment, secureCookie }: GuardOptions): void {
  let failures = 0
  const forget = setInterval(() => (failures = 0), 60_000)
  forget.unref()
  app.addHook('onClose', () => clearInterval(forget))

  const cookie = (value: string, maxAgeS: number) =>
    `${SESSION_COOKIE}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${maxAgeS}${secureCookie ? '; Secure' : ''}`
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
    if (changes && !isOfSameOrigin(request)) return reply.code(403).send({ error: 'not from this dashboard' })
    const path = request.url.split('?')[0]!
    if (OPEN_PATHS.has(path)) return
    const bearer = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1]
    const session =
      bearer !== undefined && sessions.isToken(bearer)
        ? 'bearer'
        : sessions.read(readCookie(request.headers.cookie, SESSION_COOKIE), Date.now())
    if (session !== null) {
      request.opsSession = session
      return
    }
    if (request.headers.accept?.includes('text/html')) return reply.redirect('/sign-in', 303)
    return reply.code(401).send({ error: 'sign in first' })
  })

  app.get('/sign-in', (_request, reply) => reply.type('text/html').send(signInPage(null)))
  app.post<{ Body: Record<string, string> }>('/sign-in', (request, reply) => {
    void reply.type('text/html')
    if (failures >= FAILURES_A_MINUTE)
      return reply.code(429).send(signInPage('Too many attempts. Please come back in a minute.'))
    if (!sessions.isToken(request.body.token ?? '')) {
      failures++
      request.log.warn({ ip: request.ip }, 'ops.sign-in-refused')
      return reply.code(401).send(signInPage('This is not the token.'))
    }
    request.log.info({ ip: request.ip }, 'ops.signed-in')
    return reply.header('set-cookie', cookie(sessions.open(Date.now()), 43_200)).redirect('/', 303)
  })
  app.post('/sign-out', { preHandler: requireCsrf(sessions) }, (_request, reply) =>
    reply.header('set-cookie', cookie('', 0)).redirect('/sign-in', 303),
  )
}

/** For every form: its hidden field must be the session's. A bearer token is not sent by browsers of itself. */
export const requireCsrf =
  (sessions: Sessions) =>
  async (request: FastifyRequest, reply: { code(status: number): { send(body: unknown): unknown } }) => {
    if (request.opsSession === 'bearer') return
    const given = (request.body as Record<string, string> | null)?.csrf
    if (typeof given !== 'string' || !sessions.isCsrf(request.opsSession, given))
      await reply.code(403).send({ error: 'the form is not of this session; load the page again' })
  }
