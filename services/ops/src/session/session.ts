// Sessions that are verified without storage: a cookie holds the session's id, its end, and a MAC with a key derived
// from the token. Sessions that ended by signing out are stored in ended-sessions.ts.
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

export const SESSION_COOKIE = 'ops_session'
export const SESSION_LIFETIME_MS = 12 * 3_600_000

export interface Session {
  id: string
  endsAt: Date
}

export interface Sessions {
  isToken(given: string): boolean
  /** The value of a new cookie. */
  open(nowMs: number): string
  /** @returns null when this dashboard did not make the cookie, or the session is over */
  read(cookie: string | undefined, nowMs: number): Session | null
  /** A MAC that only this dashboard can make, for a session and a purpose. */
  sign(session: string, purpose: 'csrf' | 'notice', text?: string): string
  isSigned(session: string, purpose: 'csrf' | 'notice', given: string, text?: string): boolean
}

const same = (one: string, other: string): boolean =>
  // Digests have equal length, so the comparison reveals nothing of the texts' lengths.
  timingSafeEqual(createHash('sha256').update(one).digest(), createHash('sha256').update(other).digest())

/** A new token ends all sessions of the old one. */
export function buildSessions(token: string): Sessions {
  const key = createHash('sha256').update(`ops session ${token}`).digest()
  const mac = (text: string) => createHmac('sha256', key).update(text).digest('base64url')
  const sign: Sessions['sign'] = (session, purpose, text = '') => mac(`${purpose} ${session} ${text}`)
  return {
    isToken: given => same(given, token),
    open: nowMs => {
      const id = randomBytes(18).toString('base64url')
      const end = (nowMs + SESSION_LIFETIME_MS).toString(36)
      return `${id}.${end}.${mac(`session ${id} ${end}`)}`
    },
    read: (cookie, nowMs) => {
      const [id, end, given, ...rest] = cookie?.split('.') ?? []
      if (id === undefined || end === undefined || given === undefined || rest.length > 0) return null
      const endsMs = Number.parseInt(end, 36)
      if (!same(given, mac(`session ${id} ${end}`)) || endsMs <= nowMs) return null
      return { id, endsAt: new Date(endsMs) }
    },
    sign,
    isSigned: (session, purpose, given, text) => same(given, sign(session, purpose, text)),
  }
}

export const readCookie = (header: string | undefined, name: string): string | undefined =>
  header
    ?.split(';')
    .map(part => part.trim())
    .find(part => part.startsWith(`${name}=`))
    ?.slice(name.length + 1)
