import { PageHead } from '../show/page-head.js'
import { Bar } from '../show/states.js'
import { useSession } from './session.js'
import { useGatewayName } from './use-gateway-name.js'

/** What a person must agree to before a link signs in: anybody can send a link, and what follows would be done for another gateway. */
export function ReplaceSession({
  gateway,
  problem,
  isBusy,
  onAgree,
  onStay,
}: {
  /** that the link signs in */
  gateway: string
  problem: string | null
  isBusy: boolean
  onAgree: () => void
  onStay: () => void
}) {
  const { session } = useSession()
  return (
    <>
      <PageHead title="Replace your session?" lead="A sign-in link was opened, and you are signed in." />
      {problem && (
        <p role="alert" className="failure">
          {problem}
        </p>
      )}
      <article className="panel">
        <dl>
          <dt>Signed in now</dt>
          <dd>{session ? <Whole gateway={session.gateway} /> : <Bar />}</dd>
          <dt>The link signs in</dt>
          <dd>
            <Whole gateway={gateway} />
          </dd>
        </dl>
        <p>Anyone can take any name: compare the address. Go on only if you asked for this link.</p>
        <div className="row">
          <button type="button" onClick={onStay}>
            Stay signed in
          </button>
          <button type="button" className="outline" aria-busy={isBusy} disabled={isBusy} onClick={onAgree}>
            Sign in by the link
          </button>
        </div>
      </article>
    </>
  )
}

/** A gateway with its whole address: a shortened one can be imitated. */
function Whole({ gateway }: { gateway: string }) {
  const name = useGatewayName(gateway)
  return (
    <>
      {name && <bdi>{name}</bdi>} <code>{gateway}</code>
    </>
  )
}
