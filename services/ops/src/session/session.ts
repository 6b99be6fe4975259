// Sessions without a store: the cookie holds its own end and a MAC by a key that only the token gives.
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

export const SESSION_COOKIE = 'ops_session'
const LIFETIME_MS = 12 * 3_600_000

export interface Sessions {
  isToken(given: string): boolean
  /** The value of a new cookie. */
  open(nowMs: number): string
  /** @returns the session's id, which the CSRF token hangs on; null when it is none of ours, or over */
  read(cookie: string | undefined, nowMs: number): string | null
  csrfOf(session: string): string
  isCsrf(session: string, given: string): boolean
}

const same = (one: string, other: string): boolean =>
  // Digests have one length, so that comparing tells nothing of the text's.
  timingSafeEqual(createHash('sha256').update(one).digest(), createHash('sha256').update(other).digest())

/** A new token ends all sessions of the old one. */
export function buildSessions(token: string): Sessions {
  const key = createHash('sha256').update(`ops session ${token}`).digest()
  const mac = (text: string) => createHmac('sha256', key).update(text).digest('base64url')
  return {
    isToken: given => same(given, token),
    open: nowMs => {
      const end = (nowMs + LIFETIME_MS).toString(36)
      return `${end}.${mac(`session ${end}`)}`
    },
    read: (cookie, nowMs) => {
      const [end, given, ...rest] = cookie?.split('.') ?? []
      if (end === undefined || given === undefined || rest.length > 0) return null
      if (!same(given, mac(`session ${end}`)) || Number.parseInt(end, 36) <= nowMs) return null
      return cookie!
    },
    csrfOf: session => mac(`csrf ${session}`),
    isCsrf: (session, given) => same(given, mac(`csrf ${session}`)),
  }
}

export const readCookie = (header: string | undefined, name: string): string | undefined =>
  header
    ?.split(';')
    .map(part => part.trim())
    .find(part => part.startsWith(`${name}=`))
    ?.slice(name.length + 1)
