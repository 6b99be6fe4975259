// The figures of the first page: what came in, how it changed, what is new, what is owed, what failed.
import { payments, overdueOf } from '../gateway/due.js'
import type { Whose } from '../session/whose.js'
import { changeOf } from './change.js'
import { Tile, TokenSums } from './tile.js'
import { DUE_DAYS, isRead, MOST_COUNTED, type GatewayOverview } from './use-gateway-overview.js'
import type { Overview } from './use-overview.js'

export const paymentsOfDay = ({ hours }: Overview): number =>
  hours.reduce((sum, { count }) => sum + Number(count), 0)

export function Tiles({
  overview,
  own,
  whose: { linkTo, isSignedIn },
}: {
  overview: Overview
  own: GatewayOverview | null
  whose: Whose
}) {
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
        own && <GatewayTiles own={own} />
      ) : (
        <>
          <Tile name="Due and overdue" href="/sign-in" figure="Sign in" isText>
            to see what your customers owe you
          </Tile>
          <Tile name="Endpoints" href="/sign-in" figure="Sign in" isText>
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

function GatewayTiles({
  own: { due, notPaid, created, endpoints, failedDeliveries },
}: {
  own: GatewayOverview
}) {
  const overdue = isRead(notPaid) ? overdueOf(notPaid) : 0
  return (
    <>
      <Tile
        name="New subscriptions in 24 hours"
        href="/subscriptions"
        word="created"
        figure={isRead(created) ? counted(created) : created.why}
        isText={!isRead(created)}
      >
        created, whether paid or not
      </Tile>
      <Tile
        name={`Due in ${DUE_DAYS} days`}
        href="/revenue"
        word="due"
        figure={isRead(due) ? <TokenSums sums={due.byToken} isAtLeast={!due.complete} /> : due.why}
        isText
      >
        {isRead(due) && `${due.complete ? '' : 'at least '}${payments(Number(due.total))}`}
      </Tile>
      <Tile
        name="Overdue"
        href="/customers?show=overdue"
        word="overdue"
        tone={overdue > 0 ? 'wait' : ''}
        figure={isRead(notPaid) ? `${notPaid.complete ? '' : 'at least '}${payments(overdue)}` : notPaid.why}
        isText
      >
        {isRead(notPaid) && dueNow(Number(notPaid.total) - overdue)}
      </Tile>
      <EndpointTile endpoints={endpoints} failedDeliveries={failedDeliveries} />
    </>
  )
}

const counted = (count: number): string => `${count}${count === MOST_COUNTED ? ' or more' : ''}`

const dueNow = (count: number): string =>
  count === 0 ? 'nothing else is due now' : `${payments(count)} due now, not overdue yet`

function EndpointTile({
  endpoints,
  failedDeliveries,
}: Pick<GatewayOverview, 'endpoints' | 'failedDeliveries'>) {
  const known = isRead(endpoints) ? endpoints : []
  const active = known.filter(each => each.active)
  const failing = active.filter(({ failingSince }) => failingSince !== null).length
  return (
    <Tile
      name="Endpoints"
      href="/endpoints"
      word="failed deliveries"
      tone={failing > 0 ? 'bad' : ''}
      figure={
        !isRead(endpoints)
          ? endpoints.why
          : endpoints.length === 0
            ? 'none yet'
            : failing > 0
              ? `${failing} of ${active.length} ${failing === 1 ? 'fails' : 'fail'}`
              : `${active.length} healthy`
      }
      isText={!isRead(endpoints)}
    >
      {isRead(endpoints) && endpoints.length === 0
        ? 'add one to be told of payments'
        : isRead(failedDeliveries)
          ? `${failedDeliveries === 0 ? 'no' : counted(failedDeliveries)} ${failedDeliveries === 1 ? 'delivery' : 'deliveries'} failed in 24 hours`
          : 'webhooks of this gateway'}
    </Tile>
  )
}
