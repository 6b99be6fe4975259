// The gateway that is signed in, kept for this tab alone.
import { useQueryClient } from '@tanstack/react-query'
import { createContext, useContext, useEffect, useMemo, useState, type ReactNode } from 'react'

export interface Session {
  gateway: string
  /** the gateway's token, or an API key */
  token: string
  /** Unix milliseconds; null for an API key, which does not end by itself */
  expiresAt: number | null
  /** the name of the wallet that signed, which can sign again */
  wallet?: string
}

interface SessionState {
  session: Session | null
  /** why the last session ended by itself */
  endedBecause: string | null
  signIn: (session: Session) => void
  /** goes on with a new token of the same gateway; what the pages have stays */
  renew: (session: Session) => void
  signOut: () => void
  /** ends the session with a reason, for example when the service refuses its token */
  end: (reason: string) => void
}

const STORED = 'payment-tracking.session'
const Context = createContext<SessionState | null>(null)

function readStored(): Session | null {
  try {
    const session = JSON.parse(sessionStorage.getItem(STORED) ?? 'null') as Session | null
    return session && (session.expiresAt === null || session.expiresAt > Date.now()) ? session : null
  } catch {
    return null
  }
}

export function SessionProvider({ children }: { children: ReactNode }) {
  const [session, setSession] = useState(readStored)
  const [endedBecause, setReason] = useState<string | null>(null)
  const queries = useQueryClient()
  const state = useMemo<SessionState>(() => {
    const keep = (next: Session) => {
      sessionStorage.setItem(STORED, JSON.stringify(next))
      setSession(next)
    }
    const replace = (next: Session | null, reason: string | null) => {
      if (next) keep(next)
      else sessionStorage.removeItem(STORED)
      // What one gateway may see must not stay for the next.
      queries.removeQueries({ queryKey: ['gateway'] })
      setReason(reason)
      setSession(next)
    }
    return {
      session,
      endedBecause,
      signIn: next => replace(next, null),
      renew: keep,
      signOut: () => replace(null, null),
      end: reason => replace(null, reason),
    }
  }, [session, endedBecause, queries])
  useEffect(() => {
    if (!session || session.expiresAt === null) return
    const timer = setTimeout(
      () => state.end('The sign-in has ended after its 15 minutes.'),
      Math.max(0, session.expiresAt - Date.now()),
    )
    return () => clearTimeout(timer)
  }, [session, state])
  return <Context.Provider value={state}>{children}</Context.Provider>
}

export function useSession(): SessionState {
  const state = useContext(Context)
  if (!state) throw new Error('useSession needs a SessionProvider around it')
  return state
}
