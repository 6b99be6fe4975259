import { Link } from 'wouter'
import { formatDuration } from '../show/format-time.js'
import { useNow } from '../show/now.js'
import { Key } from '../show/values.js'
import { useSession, type Session } from '../session/session.js'
import { useGatewayName } from '../session/use-gateway-name.js'
import { useRenewal } from '../session/use-renewal.js'
import { THEMES, useTheme, type Theme } from './theme.js'

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
        Colours
        <select value={theme} onChange={event => setTheme(event.target.value as Theme)}>
          {THEMES.map(each => (
            <option key={each} value={each}>
              {each === 'system' ? 'as the system' : each}
            </option>
          ))}
        </select>
      </label>
    </div>
  )
}

function SignedIn({ session }: { session: Session }) {
  const { signOut } = useSession()
  const name = useGatewayName(session.gateway)
  const renewal = useRenewal()
  const now = useNow()
  const left = session.expiresAt === null ? null : session.expiresAt - now
  return (
    <>
      <strong>{name ?? 'Gateway'}</strong>
      <Key value={session.gateway} />
      <span className="quiet">
        {left === null ? 'by an API key, which does not end' : `signed in for ${minutes(left)}`}
      </span>
      <div className="pair">
        {renewal && (
          <button type="button" className="outline" onClick={renewal.renew} aria-busy={renewal.isBusy}>
            Renew
          </button>
        )}
        <button type="button" className="outline" onClick={signOut}>
          Sign out
        </button>
      </div>
    </>
  )
}

/** Whole minutes, so that the text does not change at every glance. */
export const minutes = (ms: number): string =>
  ms < 60_000 ? 'less than a minute' : formatDuration(Math.floor(ms / 60_000) * 60_000)
