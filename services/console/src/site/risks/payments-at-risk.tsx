// Due payments that will fail, each with its cause and cure.
import { useId } from 'react'
import { ask } from '../api/request.js'
import { CustomerKey } from '../customers/wallet.js'
import { dueSpan, payments } from '../gateway/due.js'
import { DueTable, type Due } from '../gateway/due-table.js'
import { useGatewayQuery } from '../session/use-gateway.js'
import { Amount } from '../show/amount.js'
import { Loaded } from '../show/states.js'
import type { Column } from '../show/table.js'
import { Defined } from '../show/word.js'
import { RiskCause } from './risk-note.js'

const REFRESH_MS = 30_000
const DAYS_AHEAD = 7

const CAUSE: Column<Due> = {
  head: 'why it will fail',
  kind: 'text',
  phone: 'below',
  cell: ({ dueRisk, wallet, recipient, amount, tokenMint, dueAt }) => (
    <>
      <RiskCause
        risk={dueRisk}
        wallet={wallet}
        recipient={recipient}
        amount={amount}
        mint={tokenMint}
        dueAt={dueAt}
      />{' '}
      <CustomerKey value={wallet} />
    </>
  ),
}

/**
 * @param id by which a link leads here
 * @param limit rows that are shown
 */
export function PaymentsAtRisk({ id, title, limit }: { id?: string; title: string; limit: number }) {
  const heading = useId()
  const query = useGatewayQuery(
    ['at risk', limit],
    ({ api, gateway }) =>
      ask(
        api.GET('/v1/gateway/{gateway}/merchant/upcoming', {
          params: {
            path: { gateway },
            // What is overdue may still be paid once its cause is cured.
            query: { ...dueSpan(null, DAYS_AHEAD), atRisk: true, limit },
          },
        }),
      ),
    REFRESH_MS,
  )
  return (
    <section id={id} aria-labelledby={heading}>
      <h2 id={heading}>{title}</h2>
      <Loaded query={query}>
        {({ items, byToken, itemsComplete }) =>
          items.length === 0 ? (
            <p className="quiet">No payment of this week is known to be at risk.</p>
          ) : (
            <>
              {byToken
                .filter(({ atRiskCount }) => Number(atRiskCount) > 0)
                .map(({ tokenMint, atRiskCount, atRiskAmount }) => (
                  <p key={tokenMint ?? 'unknown'}>
                    {!itemsComplete && 'at least '}
                    <Amount raw={atRiskAmount} mint={tokenMint} />{' '}
                    <span className="quiet">
                      in {payments(Number(atRiskCount))} <Defined word="at risk" />
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
