// The figures of the first page: what came in, how it changed, what is new, what is owed, what failed.
import type { ReactNode } from 'react'
import { payments, overdueOf } from '../gateway/due.js'
import { useSession } from '../session/session.js'
import type { Whose } from '../session/whose.js'
import { Bar } from '../show/states.js'
import { changeOf } from './change.js'
import { healthWords, requestWords } from './endpoint-tile-words.js'
import { Tile, TokenSums } from './tile.js'
import { DUE_DAYS, isRead, MOST_COUNTED, type GatewayOverview, type Unread } from './use-gateway-overview.js'
import type { Overview } from './use-overview.js'

export const paymentsOfDay = ({ hours }: Overview): number =>
  hours.reduce((sum, { count }) => sum + Number(count), 0)

export function Tiles({
  overview,
  own,
  whose: { linkTo, isSignedIn },
}: {
  overview: Overview
  own: GatewayOverview | null | undefined
  whose: Whose
}) {
  const { isKnown } = useSession()
  const { lastMinute, byToken, before } = overview
  const ofDay = paymentsOfDay(overview)
  return (
    <div className="tiles">
      <Tile
        name="Volume in 24 hours"
        href={linkTo('/payments')}
        word="volume"
        figure={<TokenSums sums={byToken} />}
        isText
      >
        <VolumeChange overview={overview} />
      </Tile>
      <Tile name="Payments in 24 hours" href={linkTo('/payments')} figure={ofDay.toLocaleString('en-US')}>
        {changeOf(BigInt(ofDay), BigInt(before.count)) ?? 'nothing to compare with the day before'}
        {' · '}
        {Number(lastMinute.count).toLocaleString('en-US')}
        {lastMinute.complete ? '' : ' or more'} in the last minute
      </Tile>
      {isSignedIn ? (
        <GatewayTiles own={own ?? undefined} />
      ) : (
        <>
          <Tile name="Due and overdue" href="/sign-in" figure={isKnown ? 'Sign in' : <Bar />} isText>
            to see what your customers owe you
          </Tile>
          <Tile name="Endpoints" href="/sign-in" figure={isKnown ? 'Sign in' : <Bar />} isText>
            to see whether yours answer
          </Tile>
        </>
      )}
    </div>
  )
}

/** Of the volume: each token has its own change. */
function VolumeChange({ overview: { byToken, before } }: { overview: Overview }) {
  const [first] = byToken
  if (!first) return <>no payment in this time</>
  const earlier = before.byToken.find(({ tokenMint }) => tokenMint === first.tokenMint)
  const change = changeOf(BigInt(first.totalAmount), BigInt(earlier?.totalAmount ?? 0))
  return <>{change ?? 'nothing to compare with the day before'}</>
}

/** @param own undefined while it is being read */
function GatewayTiles({ own }: { own: GatewayOverview | undefined }) {
  const overdue = own && isRead(own.notPaid) ? overdueOf(own.notPaid) : 0
  return (
    <>
      <Tile
        name="New subscriptions in 24 hours"
        href="/subscriptions"
        word="created"
        figure={shown(own?.created, count => `${count}${count === MOST_COUNTED ? ' or more' : ''}`)}
        isText={!own || !isRead(own.created)}
      >
        created, whether paid or not
      </Tile>
      <Tile
        name={`Due in ${DUE_DAYS} days`}
        href="/revenue"
        word="due"
        figure={shown(own?.due, ({ byToken, complete }) => (
          <TokenSums sums={byToken} isAtLeast={!complete} />
        ))}
        isText
      >
        {own && isRead(own.due) && `${own.due.complete ? '' : 'at least '}${payments(Number(own.due.total))}`}
      </Tile>
      <Tile
        name="Overdue"
        href="/customers?show=overdue"
        word="overdue"
        tone={overdue > 0 ? 'wait' : ''}
        figure={shown(own?.notPaid, ({ complete }) => `${complete ? '' : 'at least '}${payments(overdue)}`)}
        isText
      >
        {own && isRead(own.notPaid) && dueNow(Number(own.notPaid.total) - overdue)}
      </Tile>
      <EndpointTile endpoints={own?.endpoints} />
    </>
  )
}

/** The figure, a bar while it is on its way, or why it cannot be seen. */
const shown = <T,>(value: T | Unread | undefined, show: (value: T) => ReactNode): ReactNode =>
  value === undefined ? <Bar /> : isRead(value) ? show(value) : value.why

const dueNow = (count: number): string =>
  count === 0 ? 'nothing else is due now' : `${payments(count)} due now, not overdue yet`

/** All of it from the records of the endpoints, so that no line contradicts another. */
function EndpointTile({ endpoints }: { endpoints: GatewayOverview['endpoints'] | undefined }) {
  const read = endpoints !== undefined && isRead(endpoints) ? endpoints : null
  return (
    <Tile
      name="Endpoints"
      href="/endpoints"
      word="failed request"
      tone={read?.some(({ health }) => health === 'failing') ? 'bad' : ''}
      figure={shown(endpoints, healthWords)}
      isText={read === null}
    >
      {read && requestWords(read)}
    </Tile>
  )
}
