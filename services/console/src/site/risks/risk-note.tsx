import { useTokens, useTokensAreComing } from '../api/tokens.js'
import { useNow } from '../show/now.js'
import { Bar } from '../show/states.js'
import { Time } from '../show/values.js'
import { riskSentence, type DueRisk, type RiskFacts } from './risk-sentence.js'

/** The cause and its cure. */
export function RiskCause({ mint, ...facts }: Omit<RiskFacts, 'token'> & { mint: string | null }) {
  const token = useTokens().get(mint ?? '')
  const now = useNow()
  return useTokensAreComing() ? <Bar /> : <>{riskSentence({ ...facts, token }, now)}</>
}

/** Whether the next payment of a subscription can execute. */
export function RiskNote({
  risk,
  ...facts
}: Omit<RiskFacts, 'token' | 'risk'> & { risk: DueRisk | null; mint: string | null }) {
  if (risk === null) return null
  if (risk.state === 'unknown')
    return <p className="quiet">Whether the next payment can execute is not known yet.</p>
  if (risk.state === 'ok')
    return (
      <p className="quiet">
        The payer has enough for the next payment, seen <Time at={risk.checkedAt} />.
      </p>
    )
  return (
    <div className="verdict wait" role="note">
      <strong>At risk</strong>
      <span>
        <RiskCause risk={risk} {...facts} />
      </span>
    </div>
  )
}
