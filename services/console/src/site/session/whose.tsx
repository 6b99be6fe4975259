// Whose payments a page shows: signed in, one's own, until one asks for everybody's. The choice stands in the address.
import { useSearchParams } from 'wouter'
import { useSession } from './session.js'

const EVERYBODY = 'all'

export interface Whose {
  /** null for everybody's */
  gateway: string | null
  /** whether there is a choice: a stranger sees everybody's */
  isSignedIn: boolean
  choose: (isOwn: boolean) => void
  /** an address that keeps the choice */
  linkTo: (path: string) => string
}

export function useWhose(): Whose {
  const { session } = useSession()
  const [parameters, setParameters] = useSearchParams()
  const isOwn = session !== null && parameters.get('of') !== EVERYBODY
  return {
    gateway: isOwn ? session.gateway : null,
    isSignedIn: session !== null,
    choose: own =>
      setParameters(
        known => {
          const next = new URLSearchParams(known)
          if (own) next.delete('of')
          else next.set('of', EVERYBODY)
          return next
        },
        { replace: true },
      ),
    linkTo: path => (session === null || isOwn ? path : `${path}?of=${EVERYBODY}`),
  }
}

export function WhoseSwitch({ whose: { gateway, isSignedIn, choose } }: { whose: Whose }) {
  if (!isSignedIn) return null
  return (
    <div className="choice actions" role="group" aria-label="Payments of">
      <button type="button" aria-pressed={gateway !== null} onClick={() => choose(true)}>
        My gateway
      </button>
      <button type="button" aria-pressed={gateway === null} onClick={() => choose(false)}>
        All gateways
      </button>
    </div>
  )
}
