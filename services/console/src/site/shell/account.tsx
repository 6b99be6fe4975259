import { useState } from 'react'
import { Link } from 'wouter'
import { formatDuration } from '../show/format-time.js'
import { useNow } from '../show/now.js'
import { Failure } from '../show/states.js'
import { ZONE } from '../show/time.js'
import { Key } from '../show/values.js'
import { useSession, type Session } from '../session/session.js'
import { useGatewayName } from '../session/use-gateway-name.js'
import { THEMES, useTheme, type Theme } from './theme.js'
import { sentenceCase } from '../show/sentence-case.js'

/** Who is signed in and for how long, and how the pages look. */
export function Account({ onDone }: { onDone: () => void }) {
  const { session } = useSession()
  const [theme, setTheme] = useTheme()
  return (
    <div className="account">
      {session ? (
        <SignedIn session={session} />
      ) : (
        <Link className="button outline" href="/sign-in" onClick={onDone}>
          Sign in
        </Link>
      )}
      <label>
        Theme
        <select value={theme} onChange={event => setTheme(event.target.value as Theme)}>
          {THEMES.map(each => (
            <option key={each} value={each}>
              {sentenceCase(each)}
            </option>
          ))}
        </select>
      </label>
      <span className="quiet small">Times in {ZONE.replaceAll('_', ' ')}</span>
    </div>
  )
}

function SignedIn({ session }: { session: Session }) {
  const { signOut } = useSession()
  const name = useGatewayName(session.gateway)
  const now = useNow()
  const [error, setError] = useState<Error | null>(null)
  return (
    <>
      <strong>{name ?? 'Gateway'}</strong>
      <Key value={session.gateway} />
      <span className="quiet">
        {session.scopes && `API key with ${session.scopes.join(', ')}. `}
        Session ends in {minutes(Date.parse(session.expiresAt) - now)} at the latest
      </span>
      <button type="button" className="outline" onClick={() => void signOut().catch(setError)}>
        Sign out
      </button>
      <Failure error={error} />
    </>
  )
}

/** Whole minutes, so that the text does not change at every glance. */
export const minutes = (ms: number): string =>
  ms < 60_000 ? 'less than a minute' : formatDuration(Math.floor(ms / 60_000) * 60_000)
