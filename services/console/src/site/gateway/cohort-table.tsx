// Who paid first in a month, and which part of them paid in the months since.
import type { Schemas } from '@payment-tracking/client'
import type { CSSProperties } from 'react'
import { ask } from '../api/request.js'
import { useChoice } from '../filters/use-filter.js'
import { useGatewayQuery } from '../session/use-gateway.js'
import { Empty, Loaded } from '../show/states.js'
import { Amount, Key } from '../show/values.js'
import { useShownToken } from './shown-token.js'

type Token = Schemas['TokenCohorts']
type Month = Schemas['CohortMonth']

/** Cohorts and months of the table; the file has all. */
const MOST = 12

export function Cohorts() {
  const query = useGatewayQuery(['cohorts'], ({ api, gateway }) =>
    ask(api.GET('/v1/gateway/{gateway}/merchant/cohorts', { params: { path: { gateway } } })),
  )
  const [shows, setShows] = useChoice('cohorts', ['wallets', 'volume'], 'wallets')
  return (
    <section aria-labelledby="cohorts">
      <div className="row">
        <h2 id="cohorts">Retention by month of first payment</h2>
        <label className="beside actions">
          Show
          <select value={shows} onChange={event => setShows(event.target.value as typeof shows)}>
            <option value="wallets">Wallets</option>
            <option value="volume">Volume</option>
          </select>
        </label>
      </div>
      <Loaded query={query} lines={6}>
        {({ byToken, complete }) => (
          <>
            {byToken.length === 0 && <Empty title="Nobody has paid yet" />}
            {byToken.slice(0, MOST).map(token => (
              <TokenCohorts key={token.tokenMint ?? 'unknown'} token={token} shows={shows} />
            ))}
            {(!complete || byToken.length > MOST) && (
              <p className="quiet">Not all cohorts are shown; the CSV has all of them.</p>
            )}
          </>
        )}
      </Loaded>
    </section>
  )
}

function TokenCohorts({ token, shows }: { token: Token; shows: 'wallets' | 'volume' }) {
  const { symbol } = useShownToken(token.tokenMint, token.decimals)
  const name = symbol === 'raw' || symbol === '' ? 'Token' : symbol
  const cohorts = token.cohorts.slice(-MOST)
  const width = Math.min(MOST, Math.max(0, ...cohorts.map(({ months }) => months.length)))
  return (
    <>
      <div className="row">
        <h3>{name}</h3>
        <Key value={token.tokenMint} />
      </div>
      <div className="scroll" role="region" aria-label={`${name}: cohorts`} tabIndex={0}>
        <table className="cohorts">
          <thead>
            <tr>
              <th scope="col">First paid</th>
              <th scope="col" className="number">
                Wallets
              </th>
              {Array.from({ length: width }, (_, since) => (
                <th key={since} scope="col" className="number">
                  {since === 0 ? 'That month' : `+${since}`}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {cohorts.map(({ month, wallets, months }) => (
              <tr key={month}>
                <th scope="row">{month}</th>
                <td className="number">{String(wallets)}</td>
                {months.slice(0, width).map(cell => (
                  <Cell
                    key={String(cell.monthsSince)}
                    cell={cell}
                    of={Number(wallets)}
                    mint={token.tokenMint}
                    shows={shows}
                  />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  )
}

function Cell({
  cell: { wallets, volume },
  of,
  mint,
  shows,
}: {
  cell: Month
  of: number
  mint: string | null
  shows: 'wallets' | 'volume'
}) {
  const share = Math.round((100 * Number(wallets)) / of)
  return (
    <td
      className="number"
      style={{ '--share': `${share}%` } as CSSProperties}
      title={`${String(wallets)} of ${of} wallets`}
    >
      {shows === 'wallets' ? `${share} %` : <Amount raw={volume} mint={mint} />}
    </td>
  )
}
