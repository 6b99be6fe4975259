// Due payments that will fail, each with its cause and cure.
import { useId } from 'react'
import { ask } from '../api/request.js'
import { DueTable, type Due } from '../gateway/due-table.js'
import { useGatewayQuery } from '../session/use-gateway.js'
import { Amount } from '../show/amount.js'
import { Loaded } from '../show/states.js'
import type { Column } from '../show/table.js'
import { RiskCause } from './risk-note.js'

const DAY_MS = 86_400_000
const REFRESH_MS = 30_000
/** What is overdue may still be paid once its cause is cured. */
const DAYS_BACK = 90
const DAYS_AHEAD = 7
const inDays = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString()

const CAUSE: Column<Due> = {
  head: 'why it will fail',
  kind: 'text',
  cell: ({ dueRisk, wallet, recipient, amount, tokenMint, dueAt }) => (
    <RiskCause
      risk={dueRisk}
      wallet={wallet}
      recipient={recipient}
      amount={amount}
      mint={tokenMint}
      dueAt={dueAt}
    />
  ),
}

/** @param limit rows that are shown */
export function PaymentsAtRisk({ title, limit }: { title: string; limit: number }) {
  const heading = useId()
  const query = useGatewayQuery(
    ['at risk', limit],
    ({ api, gateway }) =>
      ask(
        api.GET('/v1/gateway/{gateway}/merchant/upcoming', {
          params: {
            path: { gateway },
            query: { startTime: inDays(-DAYS_BACK), endTime: inDays(DAYS_AHEAD), atRisk: true, limit },
          },
        }),
      ),
    REFRESH_MS,
  )
  return (
    <section aria-labelledby={heading}>
      <h2 id={heading}>{title}</h2>
      <Loaded query={query}>
        {({ items, byToken }) =>
          items.length === 0 ? (
            <p className="quiet">No payment of this week is known to be at risk.</p>
          ) : (
            <>
              {byToken
                .filter(({ atRiskCount }) => Number(atRiskCount) > 0)
                .map(({ tokenMint, atRiskCount, atRiskAmount }) => (
                  <p key={tokenMint ?? 'unknown'}>
                    <Amount raw={atRiskAmount} mint={tokenMint} />{' '}
                    <span className="quiet">
                      in {Number(atRiskCount).toLocaleString('en-US')}{' '}
                      {Number(atRiskCount) === 1 ? 'payment' : 'payments'}
                    </span>
                  </p>
                ))}
              <DueTable title={title} items={items} last={CAUSE} />
            </>
          )
        }
      </Loaded>
    </section>
  )
}
