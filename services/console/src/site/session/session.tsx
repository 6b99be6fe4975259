// Who is signed in, as the service says: its cookie is out of this page's sight, and every tab has the same.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { Schemas } from '@payment-tracking/client'
import { createContext, useContext, useEffect, useMemo, useRef, useState, type ReactNode } from 'react'
import { apiOf, ask } from '../api/request.js'
import { keep, readKept } from '../browser-storage.js'

export type Session = Schemas['Session']

interface SessionState {
  session: Session | null
  /** The service has answered, or this browser was signed in when it was last here. */
  isKnown: boolean
  /** why the last session is over, unless it was ended here */
  endedBecause: string | null
  signIn: (session: Session) => Promise<void>
  signOut: () => Promise<void>
  /** Asks the service again, for example when it refused a request. */
  check: () => void
}

/** What the page draws before the service has answered. No secret: the service asks for the cookie. */
const STORED = 'payment-tracking.session'
const KEY = ['session']
const ASK_EVERY_MS = 60_000
const ENDED = 'You are signed out: the session has expired.'
const Context = createContext<SessionState | null>(null)

function readStored(): Session | undefined {
  // A sign-in link may change who is signed in, so nothing is drawn for the session before.
  if (location.hash !== '') return undefined
  try {
    return (JSON.parse(readKept(STORED) ?? 'null') as Session | null) ?? undefined
  } catch {
    return undefined
  }
}

export function SessionProvider({ children }: { children: ReactNode }) {
  const queries = useQueryClient()
  const [stored] = useState(readStored)
  const [endedBecause, setReason] = useState<string | null>(null)
  const { data, isError } = useQuery({
    queryKey: KEY,
    queryFn: async () => (await ask(apiOf().GET('/v1/session', {}))).session,
    // Old at once: the service is asked, and on each return to this tab.
    ...(stored && { initialData: stored, initialDataUpdatedAt: 0 }),
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data ? ASK_EVERY_MS : false),
  })
  const session = data ?? null
  const before = useRef(session?.gateway)
  useEffect(() => {
    if (data === undefined) return
    keep(STORED, data && JSON.stringify(data))
    if (before.current === data?.gateway) return
    // What one gateway may see must not stay for the next.
    queries.removeQueries({ queryKey: ['gateway'] })
    setReason(before.current !== undefined && !data ? ENDED : null)
    before.current = data?.gateway
  }, [data, queries])
  useEffect(() => {
    // Another tab signed in or out.
    const onStored = ({ key }: StorageEvent) => {
      if (key === STORED || key === null) void queries.invalidateQueries({ queryKey: KEY })
    }
    addEventListener('storage', onStored)
    return () => removeEventListener('storage', onStored)
  }, [queries])
  const state = useMemo<SessionState>(() => {
    const become = async (next: Session | null) => {
      // An answer that is on its way is of before.
      await queries.cancelQueries({ queryKey: KEY })
      queries.setQueryData(KEY, next)
    }
    return {
      session,
      isKnown: data !== undefined || isError,
      endedBecause,
      signIn: next => become(next),
      signOut: async () => {
        await ask(apiOf().DELETE('/v1/session', {}))
        before.current = undefined
        queries.removeQueries({ queryKey: ['gateway'] })
        setReason(null)
        await become(null)
      },
      check: () => void queries.invalidateQueries({ queryKey: KEY }),
    }
  }, [session, data, isError, endedBecause, queries])
  return <Context.Provider value={state}>{children}</Context.Provider>
}

export function useSession(): SessionState {
  const state = useContext(Context)
  if (!state) throw new Error('useSession needs a SessionProvider around it')
  return state
}
