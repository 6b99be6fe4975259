import { visibleText } from '@payment-tracking/contracts/visible-text'
import { Link } from 'wouter'
import { ask } from '../api/request.js'
import { useGatewayQuery } from '../session/use-gateway.js'
import { Figures } from '../show/figures.js'
import { formatDuration } from '../show/format-time.js'
import { useNow } from '../show/now.js'
import { Bar } from '../show/states.js'
import { breakerOpenUntil } from './breaker-open-until.js'
import { EndpointState, LastAccepted, LastAnswer } from './endpoint-state.js'
import { acceptedWords, heldWords, type Endpoint } from './endpoint-words.js'

const REFRESH_MS = 5_000

/** How the endpoint does, by its record alone, and what holds its deliveries back. */
export function EndpointHealth({ endpoint }: { endpoint: Endpoint }) {
  const { health, requests, acceptedRequests, lastAnswer } = endpoint
  return (
    <>
      <Figures
        figures={[
          ['health', <EndpointState key="health" endpoint={endpoint} />],
          ['accepted in 24 hours', acceptedWords(Number(acceptedRequests), Number(requests))],
          ['last accepted', <LastAccepted key="accepted" endpoint={endpoint} />],
          ['last answer', <LastAnswer key="answer" endpoint={endpoint} />],
          ['sending', <Sending key="sending" endpoint={endpoint} />],
        ]}
      />
      {lastAnswer && !lastAnswer.accepted && (
        <div className={health === 'failing' ? 'failure' : 'tight'}>
          <p>
            The last request failed: {lastAnswer.answer}, of{' '}
            <Link href={`/endpoints/${String(endpoint.id)}/deliveries/${String(lastAnswer.deliveryId)}`}>
              delivery {String(lastAnswer.deliveryId)}
            </Link>
            .
          </p>
          {lastAnswer.body && <pre>{visibleText(lastAnswer.body, { keepLines: true })}</pre>}
        </div>
      )}
    </>
  )
}

function Sending({ endpoint }: { endpoint: Endpoint }) {
  const id = Number(endpoint.id)
  const query = useGatewayQuery(
    ['endpoints', id, 'waiting'],
    ({ api }) =>
      ask(
        api.GET('/v1/webhooks/{id}/deliveries', {
          params: { path: { id }, query: { limit: 100, status: 'waiting' } },
        }),
      ),
    REFRESH_MS,
  )
  if (!endpoint.active) return <>stopped</>
  if (query.data === undefined) return query.error ? <span className="quiet">not known</span> : <Bar />
  const openUntil = breakerOpenUntil(query.data)
  if (openUntil !== null) return <WaitsUntil at={openUntil} />
  const reasons = new Set(query.data.map(({ heldReason }) => heldWords(heldReason ?? 'held back')))
  return <>{reasons.size === 0 ? 'normally' : [...reasons].join(', ')}</>
}

function WaitsUntil({ at }: { at: string }) {
  const left = Math.max(0, Math.ceil((Date.parse(at) - useNow()) / 1_000) * 1_000)
  return <>{left === 0 ? 'retrying now' : `waits ${formatDuration(left)} after failures`}</>
}
