import { Badge, Time, type Tone } from '../show/values.js'
import type { Endpoint } from './endpoint-words.js'

const TONES: Readonly<Record<Endpoint['health'], Tone>> = {
  healthy: 'good',
  failing: 'bad',
  untried: 'plain',
  off: 'plain',
}

/** As the service judges it. */
export function EndpointState({ endpoint: { health, deactivatedReason } }: { endpoint: Endpoint }) {
  const off = deactivatedReason === null ? 'inactive' : `inactive: ${deactivatedReason}`
  return <Badge tone={TONES[health]}>{health === 'off' ? off : health}</Badge>
}

export const LastAccepted = ({ endpoint: { lastAcceptedAt } }: { endpoint: Endpoint }) =>
  lastAcceptedAt === null ? <span className="quiet">never</span> : <Time at={lastAcceptedAt} />

export const LastAnswer = ({ endpoint: { lastAnswer } }: { endpoint: Endpoint }) =>
  lastAnswer === null ? (
    <span className="quiet">none yet</span>
  ) : (
    <>
      {lastAnswer.answer}, <Time at={lastAnswer.at} />
    </>
  )
