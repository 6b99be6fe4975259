import { useId } from 'react'
import { ask } from '../api/request.js'
import { useGatewayQuery } from '../session/use-gateway.js'
import { Amount } from '../show/amount.js'
import { Loaded } from '../show/states.js'
import type { Column } from '../show/table.js'
import { Key } from '../show/values.js'
import { DueTable, type Due } from './due-table.js'

const DAY_MS = 86_400_000
const inDays = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString()

/** The payments of a span of time that the gateway's active policies owe, counted in days from now. */
export function DuePayments({
  title,
  empty,
  fromDays,
  toDays,
}: {
  title: string
  empty: string
  fromDays: number
  toDays: number
}) {
  const heading = useId()
  const query = useGatewayQuery(['due', fromDays, toDays], ({ api, gateway }) =>
    ask(
      api.GET('/v1/gateway/{gateway}/merchant/upcoming', {
        params: {
          path: { gateway },
          query: { startTime: inDays(fromDays), endTime: inDays(toDays), limit: 20 },
        },
      }),
    ),
  )
  return (
    <section aria-labelledby={heading}>
      <h2 id={heading}>{title}</h2>
      <Loaded query={query}>
        {({ items, byToken, total }) => (
          <>
            {byToken.map(({ tokenMint, count, totalAmount }) => (
              <p key={tokenMint ?? 'unknown'}>
                <Amount raw={totalAmount} mint={tokenMint} />{' '}
                <span className="quiet">
                  in {Number(count).toLocaleString('en-US')} {Number(count) === 1 ? 'payment' : 'payments'}
                </span>
              </p>
            ))}
            {items.length === 0 ? (
              <p className="quiet">{empty}</p>
            ) : (
              <DueTable
                title={`${title}: the first ${items.length} of ${String(total)}`}
                items={items}
                last={PAYER}
              />
            )}
          </>
        )}
      </Loaded>
    </section>
  )
}

const PAYER: Column<Due> = { head: 'payer', phone: 'away', cell: ({ wallet }) => <Key value={wallet} /> }
