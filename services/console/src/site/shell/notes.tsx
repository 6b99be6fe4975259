// What is said above every page, quietly: no network, and a sign-in that is about to end.
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { useNow } from '../show/now.js'
import { IS_DEMO } from '../settings.js'
import { useSession } from '../session/session.js'
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
    <>
      {IS_DEMO && (
        <p className="note">
          <strong>DEMO</strong>: a made-up shop. None of these payments happened on a chain, and no money
          moved.
        </p>
      )}
      <div role="status">
        <Offline />
        <EndingSession />
      </div>
    </>
  )
}

function Offline() {
  const isOnline = useSyncExternalStore(subscribe, () => navigator.onLine)
  const queries = useQueryClient()
  const [since, setSince] = useState<string | null>(null)
  useEffect(() => {
    if (isOnline) void queries.invalidateQueries()
    setSince(
      isOnline ? null : new Date().toLocaleTimeString(undefined, { timeStyle: 'short', hourCycle: 'h23' }),
    )
  }, [isOnline, queries])
  if (isOnline) return null
  return <p className="note">Offline: showing data from {since}. The page reconnects by itself.</p>
}

function EndingSession() {
  const { session } = useSession()
  const now = useNow()
  if (!session) return null
  const leftMs = Date.parse(session.expiresAt) - now
  return leftMs > WARN_MS ? null : <p className="note">The session ends in {minutes(leftMs)}.</p>
}
