// What is said above every page, quietly: no network, and a sign-in that is about to end.
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { useNow } from '../show/now.js'
import { useSession } from '../session/session.js'
import { useRenewal } from '../session/use-renewal.js'
import { minutes } from './account.js'

const WARN_MS = 3 * 60_000

const subscribe = (listener: () => void) => {
  addEventListener('online', listener)
  addEventListener('offline', listener)
  return () => {
    removeEventListener('online', listener)
    removeEventListener('offline', listener)
  }
}

export function Notes() {
  return (
    <div role="status">
      <Offline />
      <EndingSession />
    </div>
  )
}

function Offline() {
  const isOnline = useSyncExternalStore(subscribe, () => navigator.onLine)
  const queries = useQueryClient()
  const [since, setSince] = useState<string | null>(null)
  useEffect(() => {
    if (isOnline) void queries.invalidateQueries()
    setSince(isOnline ? null : new Date().toLocaleTimeString(undefined, { timeStyle: 'short' }))
  }, [isOnline, queries])
  if (isOnline) return null
  return <p className="note">Offline: the page shows what it knew at {since}, and goes on by itself.</p>
}

function EndingSession() {
  const { session } = useSession()
  const renewal = useRenewal()
  const now = useNow()
  if (!session || session.expiresAt === null || session.expiresAt - now > WARN_MS) return null
  return (
    <p className="note">
      The sign-in ends in {minutes(session.expiresAt - now)}.
      {renewal && (
        <button type="button" className="outline" onClick={renewal.renew} aria-busy={renewal.isBusy}>
          Renew it
        </button>
      )}
      {renewal?.error && ` ${renewal.error}`}
    </p>
  )
}
