import { useId } from 'react'
import { CustomerKey } from '../customers/wallet.js'
import { Amount } from '../show/amount.js'
import { Loaded } from '../show/states.js'
import type { Column } from '../show/table.js'
import { Defined } from '../show/word.js'
import { payments } from './due.js'
import { DueTable, type Due } from './due-table.js'
import { useDue } from './use-due.js'

/** What the gateway's customers owe in a span of time, counted in days from now; null is since ever. */
export function DuePayments({
  title,
  empty,
  fromDays,
  toDays,
}: {
  title: string
  empty: string
  fromDays: number | null
  toDays: number
}) {
  const heading = useId()
  const query = useDue(fromDays, toDays)
  return (
    <section aria-labelledby={heading}>
      <h2 id={heading}>{title}</h2>
      <Loaded query={query}>
        {({ items, byToken, total, complete, itemsComplete }) => (
          <>
            {byToken.map(({ tokenMint, count, totalAmount, overdueCount, overdueAmount }) => (
              <p key={tokenMint ?? 'unknown'}>
                {!complete && 'at least '}
                <Amount raw={totalAmount} mint={tokenMint} />{' '}
                <span className="quiet">in {payments(Number(count))}</span>
                {fromDays === null && (
                  <span className="quiet">
                    {', '}
                    {Number(overdueCount) === 0 ? (
                      <>
                        none of them <Defined word="overdue" />
                      </>
                    ) : (
                      <>
                        of them <Amount raw={overdueAmount} mint={tokenMint} /> in{' '}
                        {payments(Number(overdueCount))} <Defined word="overdue" />
                      </>
                    )}
                  </span>
                )}
              </p>
            ))}
            {items.length === 0 ? (
              <p className="quiet">{empty}</p>
            ) : (
              <DueTable
                title={`${title}: ${itemsComplete ? 'the first' : ''} ${items.length} of ${complete ? '' : 'at least '}${String(total)}`}
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

const PAYER: Column<Due> = {
  head: 'payer',
  phone: 'away',
  cell: ({ wallet }) => <CustomerKey value={wallet} />,
}
