import { useId } from 'react'
import { Link } from 'wouter'
import { ask } from '../api/request.js'
import { useGatewayQuery } from '../session/use-gateway.js'
import { Loaded, Table } from '../show/states.js'
import { Amount, Key, shorten, Time } from '../show/values.js'

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
            <ul>
              {byToken.map(({ tokenMint, count, totalAmount }) => (
                <li key={tokenMint ?? 'unknown'}>
                  <Amount raw={totalAmount} mint={tokenMint} /> in {String(count)} payments
                </li>
              ))}
            </ul>
            {items.length === 0 ? (
              <p className="quiet">{empty}</p>
            ) : (
              <Table
                title={`${title}: the first ${items.length} of ${String(total)}`}
                head={['due', 'policy', 'tracking ID', 'amount', 'payer']}
              >
                {items.map(item => (
                  <tr key={`${item.policyAddress}/${String(item.dueAt)}`}>
                    <td>
                      <Time at={item.dueAt} />
                    </td>
                    <td>
                      <Link href={`/subscriptions/${item.policyAddress}`}>
                        <code>{shorten(item.policyAddress)}</code>
                      </Link>
                    </td>
                    <td className="text">{item.trackingId ?? <span className="quiet">none</span>}</td>
                    <td className="number">
                      <Amount raw={item.amount} mint={item.tokenMint} />
                    </td>
                    <td>
                      <Key value={item.wallet} />
                    </td>
                  </tr>
                ))}
              </Table>
            )}
          </>
        )}
      </Loaded>
    </section>
  )
}
